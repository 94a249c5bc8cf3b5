// Lets this browser in: with the token of a launch link, which stands after the # and is sent
// nowhere but in the body of one request, or with the password.
import { remember } from "./session.js";

async function enter(url, kind, body) {
  const answer = await fetch(url, { method: "POST", headers: { "content-type": kind }, body });
  const said = await answer.json();
  if (!answer.ok) throw new Error([said.error, said.next].filter(Boolean).join(" "));
  remember(said.key);
}

async function launch() {
  const link = location.hash.slice(1);
  history.replaceState(null, "", "/launch");
  try {
    await enter("/launch", "application/json", JSON.stringify({ link }));
    location.replace("/");
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
