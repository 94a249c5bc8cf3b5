// Lets this browser in: with the token of a launch link, which stands after the # and is sent
// nowhere but in the body of one request, or with the password.
import { remember } from "./session.js";

async function enter(url, kind, body) {
  const answer = await fetch(url, { method: "POST", headers: { "content-type": kind }, body });
  const said = await answer.json();
  if (!answer.ok) throw new Error([said.error, said.next].filter(Boolean).join(" "));
  remember(said.key);
}

// Where a window of an earlier start was, with what was being written there.
function place(given) {
  const to = new URL(given.get("to") ?? "/", location.origin);
  if (to.origin !== location.origin) return "/";
  const [, kind, workflow] = to.pathname.split("/");
  const draft = given.get("draft");
  if (kind === "w" && draft) sessionStorage.setItem(`draft:${decodeURIComponent(workflow)}`, draft);
  return to.href;
}

async function launch() {
  const hash = location.hash.slice(1);
  const given = new URLSearchParams(hash);
  history.replaceState(null, "", "/launch");
  try {
    await enter("/launch", "application/json", JSON.stringify({ link: given.get("link") ?? hash }));
    location.replace(place(given));
  } catch (error) {
    document.querySelector("main p").textContent = error.message;
  }
}

const form = document.getElementById("login");
form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await enter("/login", "application/x-www-form-urlencoded", new URLSearchParams(new FormData(form)).toString());
    location.reload();
  } catch (error) {
    form.querySelector(".told").textContent = error.message;
  }
});
if (location.pathname === "/launch") launch();
