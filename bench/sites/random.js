// A small seeded generator, so that every load of a site shows the same things.
export function seeded(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
  const pick = (list) => list[Math.floor(next() * list.length)];
  const whole = (low, high) => low + Math.floor(next() * (high - low + 1));
  const code = (length) => Array.from({ length }, () => pick([..."ABCDEFGHJKLMNPQRSTUVWXYZ23456789"])).join("");
  const hex = (length) => Array.from({ length }, () => pick([..."0123456789abcdef"])).join("");
  return { next, pick, whole, code, hex };
}

// The same text always gives the same number: order and booking numbers stay stable.
export function stamp(text) {
  let value = 2166136261;
  for (const letter of text) value = Math.imul(value ^ letter.charCodeAt(0), 16777619) >>> 0;
  return value;
}
