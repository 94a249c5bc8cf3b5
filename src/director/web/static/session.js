// The key of this browser: kept for this very origin, sent to it alone, and in a header only.
const NAME = "director-key";

export function remember(key) {
  localStorage.setItem(NAME, key);
}

export function ask(url, options = {}) {
  const { href, origin } = new URL(url, location.href);
  if (origin !== location.origin) throw new Error("That is not an address of Director.");
  const authorization = `Bearer ${localStorage.getItem(NAME) ?? ""}`;
  return fetch(href, { ...options, headers: { ...options.headers, authorization } });
}

// An address that works once, for what cannot send a header: an event stream, a download.
export async function ticketed(url) {
  const made = new URL(url, location.href);
  const answer = await ask("/api/tickets", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ path: made.pathname }),
  });
  if (!answer.ok) throw new Error(`Director gave no ticket (${answer.status}). Load this page again.`);
  made.searchParams.set("ticket", (await answer.json()).ticket);
  return made.href;
}

// What this window keeps in memory alone, for the time when the program has ended: its key ends with
// it. Whoever answers afterwards has to show a new link that is sealed for this very window.
let handover = null;

export async function prepare() {
  if (!crypto.subtle) return;
  const answer = await ask("/api/handover", { method: "POST" });
  if (answer.ok) handover = await answer.json();
}

const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));

// The address that leads this window to the pages of the next start; null if there was none.
export async function resumed() {
  if (!handover) return null;
  const answer = await fetch(`/resume?id=${encodeURIComponent(handover.id)}`, { cache: "no-store" });
  if (!answer.ok) return null;
  const { nonce, sealed } = await answer.json();
  const key = await crypto.subtle.importKey("raw", bytes(handover.key), "AES-GCM", false, ["decrypt"]);
  const opened = await crypto.subtle.decrypt({ name: "AES-GCM", iv: bytes(nonce) }, key, bytes(sealed));
  const { link, host } = JSON.parse(new TextDecoder().decode(opened));
  const made = new URL("/launch", location.href);
  if (made.hostname.endsWith(".localhost")) made.hostname = host;
  const to = location.pathname + location.search + location.hash;
  const draft = document.getElementById("say")?.value ?? "";
  made.hash = new URLSearchParams({ link, to, draft }).toString();
  return made.href;
}
