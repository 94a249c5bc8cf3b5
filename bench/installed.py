"""What others made and is measured on: which packages, in which versions, and the folder they are in.

`install` puts them into a cache outside of the project (`DIRECTOR_BENCH_CACHE`, else
`~/.cache/director-bench`), once; a cache that another list of versions filled is filled anew.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

HERE = Path(__file__).parent
PYTHON: Mapping[str, Mapping[str, str]] = {
    "web": {
        "datasette": "0.65.5",
        "sqlite-web": "0.8.2",
        "jupyterlab": "4.6.6",
        "nicegui": "3.18.0",
        "setuptools": "80.9.0",
    },
    "more": {"streamlit": "1.67.0", "gradio": "6.31.0", "marimo": "0.25.2"},
    "proxy": {"mitmproxy": "11.0.2"},
    "unnamed": {
        "optuna-dashboard": "0.21.0",
        "locust": "2.47.0",
        "klaus": "3.0.1",
        "supervisor": "4.3.0",
        "setuptools": "80.9.0",
    },
}
"""Python packages by the environment they are in: not all of them agree with each other."""
NODE: Mapping[str, str] = {
    "node-red": "4.1.8",
    "verdaccio": "6.8.0",
    "tiddlywiki": "5.4.1",
    "swagger-ui-dist": "5.34.1",
    "@shoelace-style/shoelace": "2.20.1",
    "jquery": "3.7.1",
    "jquery-ui-dist": "1.13.3",
    "tabulator-tables": "6.5.3",
    "monaco-editor": "0.57.0",
    "@material/web": "2.5.0",
    "element-plus": "2.14.8",
    "vue": "3.5.45",
    "react": "19.3.1",
    "react-dom": "19.3.1",
    "@mui/material": "9.5.0",
    "@emotion/react": "11.14.0",
    "@emotion/styled": "11.14.1",
    "antd": "6.6.8",
    "vuetify": "4.3.0",
    "esbuild": "0.28.2",
}
BUNDLES = {"material.js": "@material/web/all.js", "mui.js": "mui.jsx", "antd.js": "antd.jsx"}
"""What a page loads that its package has in parts only."""


def cache() -> Path:
    """The folder of the cache."""
    named = os.environ.get("DIRECTOR_BENCH_CACHE")
    return Path(named) if named else Path.home() / ".cache" / "director-bench"


def install() -> Path:
    """Install what is not installed yet; the folder."""
    folder = cache()
    folder.mkdir(parents=True, exist_ok=True)
    for name, packages in PYTHON.items():
        _once(folder / f"{name}.json", packages, lambda n=name, p=packages: _python(folder / n, p))
    _once(folder / "node.json", NODE, lambda: _node(folder))
    _once(folder / "bundles.json", {**BUNDLES, **_sources()}, lambda: _bundle(folder))
    return folder


def _once(mark: Path, wanted: Mapping[str, str], make: object) -> None:
    if mark.exists() and json.loads(mark.read_text()) == dict(wanted):
        return
    print(f"installing {', '.join(wanted)[:100]} …", flush=True)
    if callable(make):
        make()
    mark.write_text(json.dumps(dict(wanted)))


def _sources() -> dict[str, str]:
    return {path.name: path.read_text() for path in (HERE / "galleries").glob("*.jsx")}


def _python(folder: Path, packages: Mapping[str, str]) -> None:
    _run([sys.executable, "-m", "venv", "--clear", folder], folder.parent)
    pinned = [f"{name}=={version}" for name, version in packages.items()]
    _run([folder / "bin/python", "-m", "pip", "install", "-qq", *pinned], folder.parent)


def _node(folder: Path) -> None:
    # A tag that not every registry has.
    package = {"private": True, "overrides": {"node-fetch": "2.7.0"}}
    (folder / "package.json").write_text(json.dumps(package))
    pinned = [f"{name}@{version}" for name, version in NODE.items()]
    quiet = ("--no-fund", "--no-audit", "--loglevel=error", "--legacy-peer-deps")
    _run(["npm", "install", *quiet, "--save-exact", *pinned], folder)


def _bundle(folder: Path) -> None:
    for name, text in _sources().items():
        (folder / name).write_text(text)
    for out, entry in BUNDLES.items():
        path = folder / entry if (folder / entry).exists() else folder / "node_modules" / entry
        options = (
            "--bundle",
            "--minify",
            f"--outfile=bundles/{out}",
            '--define:process.env.NODE_ENV="production"',
        )
        _run([folder / "node_modules/.bin/esbuild", path, *options, "--log-level=error"], folder)


def _run(command: Sequence[str | Path], cwd: Path) -> None:
    subprocess.run([str(each) for each in command], cwd=cwd, check=True)


if __name__ == "__main__":
    print(install())
