// What debug_element tells about one element: what it is, where, and whether it can be clicked.
element => {
    const box = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const inView = x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
    const top = inView ? element.getRootNode().elementFromPoint(x, y) : null;
    const covered = top && top !== element && !element.contains(top) && !top.contains(element);
    const problems = [
        [!box.width || !box.height, "it has no size", "wait until it is drawn"],
        [style.display === "none" || style.visibility !== "visible", "it is hidden",
            "do first what shows it"],
        [style.pointerEvents === "none", "it lets clicks through", "click what is behind it"],
        [element.disabled === true || element.getAttribute("aria-disabled") === "true",
            "it is disabled", "fill in first what it waits for"],
        [covered, `it is covered by ${top && top.localName}${top && top.id ? "#" + top.id : ""}`,
            "close what covers it"],
    ].filter(([holds]) => holds);
    const attributes = Object.fromEntries(
        [...element.attributes].filter(a => a.name !== "value" && !a.name.startsWith("data-director-"))
            .map(a => [a.name, a.value]));
    const unread = globalThis.__directorMasks?.hidesText(element);
    return {
        tag: element.localName,
        text: (unread ? "" : element.innerText ?? "").replace(/\s+/g, " ").trim().slice(0, 200),
        attributes,
        box: {x: box.x, y: box.y, width: box.width, height: box.height},
        inViewport: inView,
        actionability: {
            clickable: problems.length === 0,
            reasons: problems.map(([, reason]) => reason),
            suggestions: problems.map(([, , suggestion]) => suggestion),
        },
    };
}
