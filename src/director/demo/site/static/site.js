// What the pages do by themselves. Elements are found by their data attributes, so that a redesign,
// which renames ids and classes, changes nothing here. It is loaded before the page and listens at
// the document, so that no click comes too early.
"use strict";

const all = (query) => document.querySelectorAll(query);

function on(event, query, act) {
  document.addEventListener(event, (happened) => {
    const element = happened.target.closest?.(query);
    if (element) act(element, happened);
  });
}

function tell(what, value) {
  return fetch("/lab/did", { method: "POST", body: new URLSearchParams({ what, value }) });
}

function editor(cell) {
  const choices = cell.dataset.choices;
  const input = document.createElement(choices ? "select" : "input");
  for (const each of choices ? choices.split(" ") : []) input.add(new Option(each));
  input.value = cell.textContent;
  input.setAttribute("aria-label", cell.dataset.title);
  return input;
}

function edit(cell) {
  if (cell.querySelector("input, select")) return;
  const before = cell.textContent;
  const input = editor(cell);
  let done = false;
  const end = (text) => {
    done = true;
    cell.textContent = text;
    cell.removeAttribute("aria-invalid");
  };
  const save = async () => {
    if (done) return;
    if (input.value === before) return end(before);
    const row = cell.closest("[data-row]").dataset.row;
    const body = new URLSearchParams({ column: cell.dataset.edit, value: input.value });
    const answer = await fetch(`/grid/rows/${row}`, { method: "POST", body });
    const { value, problem } = await answer.json();
    if (answer.ok) return end(value);
    cell.setAttribute("aria-invalid", "true");
    input.setCustomValidity(problem);
    input.reportValidity();
  };
  input.addEventListener("input", () => input.setCustomValidity(""));
  input.addEventListener("blur", save);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") save();
    if (event.key === "Escape") end(before);
  });
  cell.replaceChildren(input);
  input.focus();
}

function late() {
  for (const place of all("[data-late]")) {
    const content = place.querySelector("template").content;
    setTimeout(() => place.replaceChildren(content), Number(place.dataset.late));
  }
}

function shadows() {
  for (const host of all("[data-shadow]")) {
    const root = host.attachShadow({ mode: "open" });
    root.append(host.querySelector("template").content.cloneNode(true));
    const count = root.querySelector("[data-count]");
    root.querySelector("button").addEventListener("click", () => {
      count.textContent = String(Number(count.textContent) + 1);
      tell("shadow", count.textContent);
    });
  }
}

function feeds() {
  for (const end of all("[data-feed]")) {
    const list = document.getElementById(end.dataset.into);
    const more = async () => {
      const answer = await fetch(`${end.dataset.feed}?after=${list.children.length}`);
      const items = await answer.json();
      for (const text of items) {
        const item = document.createElement("li");
        item.textContent = text;
        list.append(item);
      }
      if (items.length) return true;
      end.textContent = "That was all.";
      return false;
    };
    const watch = new IntersectionObserver(async ([seen]) => {
      if (!seen.isIntersecting) return;
      watch.unobserve(end);
      if (await more()) watch.observe(end);
    });
    watch.observe(end);
  }
}

on("click", "[data-opens]", (opener) => {
  document.getElementById(opener.dataset.opens).showModal();
});

on("click", "[data-closes]", (closer) => closer.closest("dialog").close());

on("click", "[data-edit]", edit);

on("keydown", "[data-edit]", (cell, event) => {
  if (event.key === "Enter" && event.target === cell) edit(cell);
});

on("submit", "[data-optimistic]", async (form, event) => {
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form));
  await fetch(form.action, { method: "POST", body });
  form.closest("section").querySelector("[role=status]").hidden = false;
  form.reset();
});

on("click", "[data-confirm]", (asking) => {
  const yes = confirm(asking.dataset.confirm);
  const told = asking.parentElement.querySelector("[role=status]");
  told.textContent = yes ? "You said yes." : "You said no.";
  tell("confirm", yes ? "yes" : "no");
});

on("click", "[data-popup]", (link, event) => {
  event.preventDefault();
  window.open(link.href, link.target, "popup,width=420,height=260");
});

on("click", "[data-colour]", async (choice) => {
  await tell("popup", choice.dataset.colour);
  window.opener?.postMessage({ colour: choice.dataset.colour }, location.origin);
  window.close();
});

window.addEventListener("message", (event) => {
  const answer = document.querySelector("[data-answer]");
  if (event.origin === location.origin && answer && event.data.colour) {
    answer.textContent = `You chose ${event.data.colour}.`;
  }
});

on("input", "[data-enables]", (input) => {
  const button = document.getElementById(input.dataset.enables);
  button.disabled = input.value !== input.dataset.word;
});

document.addEventListener("DOMContentLoaded", () => {
  for (const shown of all("dialog[data-shown]")) shown.showModal();
  late();
  shadows();
  feeds();
});
