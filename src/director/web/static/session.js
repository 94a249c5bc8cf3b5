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
