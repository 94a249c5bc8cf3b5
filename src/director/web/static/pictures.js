// Pictures need the key like everything else, so they are fetched and shown from memory: each when
// it comes near the view, the live one again and again.
import { ask } from "./session.js";

const loading = new WeakSet();

export async function show(image, cache = "default", from = image.dataset.src) {
  if (loading.has(image)) return false;
  loading.add(image);
  try {
    const answer = await ask(from, { cache });
    if (!answer.ok || answer.status === 204) return false;
    const next = new Image();
    next.src = URL.createObjectURL(await answer.blob());
    await next.decode();
    if (image.src.startsWith("blob:")) URL.revokeObjectURL(image.src);
    image.src = next.src;
    return true;
  } catch {
    // What is no picture is not shown; the one before stays.
    return false;
  } finally {
    loading.delete(image);
  }
}

const near = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      show(target);
    }
  },
  { rootMargin: "500px" },
);

export function start() {
  const look = () => document.querySelectorAll("img[data-src]:not([src])").forEach((image) => near.observe(image));
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true, attributeFilter: ["data-src"] });
  look();
}
