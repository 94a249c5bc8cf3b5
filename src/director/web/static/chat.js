// The conversation in chunks: those near the view are there, the others are room of their height.
import { markdown } from "./markdown.js";
import { morph, parsed, unpressed } from "./morph.js";
import { ask } from "./session.js";

const SIZE = 50;
const NEAR = "1500px 0px";

// A long result is cut in the page, and read in full when it is asked for.
async function whole(button) {
  const answer = await ask(button.dataset.whole);
  if (!answer.ok) return;
  const call = (await answer.json()).calls.find((one) => one.id === button.dataset.callId);
  const shown = button.closest("div").querySelector("pre");
  if (call) shown.textContent = call[button.dataset.field ?? "result"];
  button.parentElement.remove();
}

export class Talk {
  constructor(base, turn, shows = () => {}) {
    this.base = base;
    this.turn = turn;
    this.shows = shows;
    this.box = document.getElementById("talk");
    this.stream = document.getElementById("stream");
    this.live = document.getElementById("live");
    this.latest = document.getElementById("latest");
    this.entry = 0;
    this.text = "";
    this.loads = new Map();
    this.near = new IntersectionObserver((seen) => this.seen(seen), { root: this.box, rootMargin: NEAR });
    for (const chunk of this.chunks()) this.near.observe(chunk);
    this.latest.onclick = () => this.follow();
    this.box.addEventListener("scroll", () => (this.latest.hidden = this.atEnd()), { passive: true });
    this.showStopped();
    this.follow();
    // Room for what is far above is made behind the first look.
    setTimeout(() => this.fill(), 50);
    if (this.tail.dataset.running === "1") this.caughtUp();
    addEventListener("hashchange", () => this.named());
    this.named();
    document.addEventListener("submit", (event) => {
      if (event.target.id !== "search") return;
      event.preventDefault();
      this.search(document.getElementById("words").value);
    });
    // A summary that is longer than its room says so.
    const overflows = ({ target }) => {
      const all = target.open && target.querySelector?.("[data-show-all]");
      if (all) all.hidden = all.previousElementSibling.scrollHeight <= all.previousElementSibling.clientHeight;
    };
    document.addEventListener("toggle", overflows, true);
    let typing = 0;
    document.addEventListener("input", (event) => {
      if (event.target.id !== "words") return;
      clearTimeout(typing);
      typing = setTimeout(() => this.search(event.target.value), 200);
    });
    document.addEventListener("click", (event) => {
      const more = event.target.closest("[data-whole]");
      if (more) whole(more);
      const all = event.target.closest("[data-show-all]");
      if (all) {
        all.previousElementSibling.dataset.kept = "all";
        all.hidden = true;
      }
      if (event.target.closest("[data-close-hits]")) this.search("");
      const turn = event.target.closest("[data-turn][href]");
      if (!turn) return;
      event.preventDefault();
      this.shows();
      this.go(Number(turn.dataset.turn));
    });
  }

  // The turn that the address names, as a link from the inspector does.
  named() {
    const wanted = /^#t(\d+)$/.exec(location.hash);
    if (wanted) this.go(Number(wanted[1]));
  }

  get tail() {
    return document.getElementById("tail");
  }

  // The conversation that is shown, which need not be the one of now.
  get which() {
    return `thread=${encodeURIComponent(this.tail.dataset.thread)}`;
  }

  chunks() {
    return [...this.box.querySelectorAll("section.chunk")];
  }

  chunk(number) {
    return this.box.querySelector(`section.chunk[data-chunk="${number}"]`);
  }

  fill() {
    const first = this.chunks()[0];
    const made = document.createDocumentFragment();
    for (let number = 0; number < Number(first.dataset.chunk); number += 1) {
      const room = Object.assign(document.createElement("section"), { className: "chunk" });
      room.dataset.chunk = number;
      room.dataset.empty = "";
      made.append(room);
      this.near.observe(room);
    }
    if (!made.childElementCount) return;
    this.change(() => first.before(made));
  }

  atEnd() {
    return this.box.scrollHeight - this.box.scrollTop - this.box.clientHeight < 80;
  }

  follow() {
    this.box.scrollTop = this.box.scrollHeight;
    this.latest.hidden = true;
  }

  // Do something to the conversation, and stay at its end if that is where the reader is.
  change(work) {
    const end = this.atEnd();
    work();
    if (end) this.follow();
    else this.latest.hidden = false;
  }

  seen(entries) {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting && target.dataset.empty !== undefined) this.load(Number(target.dataset.chunk));
      else if (!isIntersecting) this.drop(target);
    }
  }

  drop(chunk) {
    const number = Number(chunk.dataset.chunk);
    const last = Number(this.tail.dataset.chunks) - 1;
    if (number >= last || chunk.dataset.empty !== undefined || chunk.contains(document.activeElement)) return;
    chunk.style.minHeight = `${chunk.offsetHeight}px`;
    chunk.dataset.empty = "";
    chunk.replaceChildren();
  }

  load(number) {
    if (!this.loads.has(number)) {
      const put = (made) => made && this.put(number, made[0]);
      // What failed is asked for again when it comes into view again.
      const asked = this.fetched(`?chunk=${number}&${this.which}`).then(put, () => null);
      this.loads.set(number, asked.finally(() => this.loads.delete(number)));
    }
    return this.loads.get(number);
  }

  async fetched(query) {
    const answer = await ask(`${this.base}chat${query}`);
    if (answer.status >= 500) throw new Error(`The conversation could not be read (${answer.status}).`);
    const made = answer.ok ? parsed(await answer.text()) : null;
    await unpressed();
    return made;
  }

  put(number, fresh) {
    const old = this.chunk(number);
    if (!old) return;
    morph(old, fresh);
    delete old.dataset.empty;
    old.style.minHeight = "";
  }

  // What is new: the last chunk and what waits for an answer; all that is loaded if older ones changed.
  async refresh() {
    const made = await this.fetched("");
    if (!made) return;
    const [fresh, tail] = made;
    const before = { ...this.tail.dataset };
    if (before.thread !== tail.dataset.thread) {
      location.reload();
      return;
    }
    const number = Number(fresh.dataset.chunk);
    this.change(() => {
      for (let each = Number(before.chunks); each <= number; each += 1) {
        const room = document.createElement("section");
        room.className = "chunk";
        room.dataset.chunk = each;
        if (each < number) room.dataset.empty = "";
        this.live.before(room);
        this.near.observe(room);
      }
      this.put(number, fresh);
      morph(this.tail, tail);
      if (this.entry && document.getElementById(`t${this.entry}`)) this.clear();
      if (tail.dataset.running === "0") {
        if (this.text && tail.dataset.state !== "said") this.keepStopped();
        this.clear();
      }
      this.showStopped();
    });
    const failed = document.getElementById("failed");
    if (failed && before.state !== "failed") failed.scrollIntoView({ block: "nearest" });
    const older = before.seen !== tail.dataset.seen ? this.chunks() : [];
    const previous = number > Number(before.chunks) - 1 ? [this.chunk(Number(before.chunks) - 1)] : [];
    for (const chunk of new Set([...older, ...previous])) {
      if (chunk && chunk.dataset.empty === undefined && Number(chunk.dataset.chunk) < number) this.load(Number(chunk.dataset.chunk));
    }
  }

  // Text that was being written when its turn was stopped stays on the page until more is said.
  keepStopped() {
    sessionStorage.setItem(`stopped:${this.tail.dataset.thread}`, JSON.stringify({ head: this.tail.dataset.head, text: this.text }));
  }

  showStopped() {
    const kept = JSON.parse(sessionStorage.getItem(`stopped:${this.tail.dataset.thread}`) ?? "null");
    let shown = document.getElementById("stopped");
    if (kept?.head !== this.tail.dataset.head) {
      shown?.remove();
      return;
    }
    if (shown) return;
    shown = Object.assign(document.createElement("div"), { id: "stopped", className: "message stopped" });
    const says = Object.assign(document.createElement("div"), { className: "says" });
    markdown(kept.text, says);
    const note = Object.assign(document.createElement("p"), { className: "q s", textContent: "Not finished. It is kept on this page only; the model does not see it again." });
    shown.append(says, note);
    this.live.after(shown);
  }

  // Text that is being written, before it is an entry.
  begin(entry) {
    this.entry = entry ?? 0;
    this.text = "";
    this.stream.replaceChildren();
  }

  // A piece of text that stands `at` so many characters in; what came before may have been missed.
  said(text, entry, at) {
    if (entry !== this.entry) this.begin(entry);
    const known = [...this.text].length;
    if (at > known) {
      this.caughtUp();
      return;
    }
    const fresh = [...text].slice(known - at).join("");
    if (fresh) this.write(fresh);
  }

  write(text) {
    this.text += text;
    // The first piece at once, the others as often as they can be seen.
    if (performance.now() - (this.drawn ?? 0) > 60) this.draw();
    else this.drawing ||= requestAnimationFrame(() => this.draw());
  }

  draw() {
    cancelAnimationFrame(this.drawing);
    this.drawing = 0;
    this.drawn = performance.now();
    if (!this.text) return;
    this.change(() => {
      this.live.hidden = false;
      markdown(this.text, this.stream, true);
    });
  }

  async caughtUp() {
    try {
      const answer = await ask(this.turn);
      const now = answer.ok ? await answer.json() : {};
      if (!now.writing || document.getElementById(`t${now.entry}`)) return;
      this.begin(now.entry);
      this.write(now.writing);
    } catch {
      // The next look shows what was written.
    }
  }

  clear() {
    this.text = "";
    this.stream.replaceChildren();
    this.live.hidden = true;
  }

  async go(turn) {
    this.fill();
    const number = Math.floor((turn - 1) / SIZE);
    const chunk = this.chunk(number);
    if (!chunk) return;
    if (chunk.dataset.empty !== undefined) {
      chunk.scrollIntoView({ block: "center" });
      await this.load(number);
    }
    const found = document.getElementById(`t${turn}`);
    if (!found) return;
    found.scrollIntoView({ block: "center" });
    found.classList.remove("found");
    void found.offsetWidth;
    found.classList.add("found");
    found.tabIndex = -1;
    found.focus({ preventScroll: true });
    await this.hold(found);
  }

  // Rooms above it get their true height as they load; what was looked for stays in view meanwhile.
  async hold(found) {
    let calm = 0;
    for (let round = 0; round < 40 && calm < 5; round += 1) {
      await new Promise(requestAnimationFrame);
      const busy = this.loads.size > 0;
      await Promise.all(this.loads.values());
      const box = this.box.getBoundingClientRect();
      const at = found.getBoundingClientRect();
      const seen = at.bottom > box.top + 20 && at.top < box.bottom - 20;
      if (!seen) found.scrollIntoView({ block: "center" });
      calm = seen && !busy ? calm + 1 : 0;
    }
  }

  async search(words) {
    const hits = document.getElementById("hits");
    if (!words.trim()) {
      hits.hidden = true;
      return;
    }
    hits.hidden = false;
    hits.replaceChildren(Object.assign(document.createElement("p"), { className: "waiting", textContent: "searching" }));
    const answer = await ask(`${this.base}hits?words=${encodeURIComponent(words)}&${this.which}`);
    hits.replaceChildren(...parsed(await answer.text()));
  }
}
