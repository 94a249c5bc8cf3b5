// One stream of events for a whole browser: the window that holds a lock opens it and passes on
// what it hears. When that window closes, another one goes on from the event that it heard last.
import { resumed, ticketed } from "./session.js";

const NAME = "director-events";
const KEPT = 1000;
const listeners = new Set();
const channel = new BroadcastChannel(NAME);
const own = crypto.randomUUID();
const recent = [];
let online = true;
let leads = false;
let source = null;
// The event that this page was made at, and then the one that it heard last.
let last = document.body.dataset.event;
let since = last;

export function listen(listener) {
  listeners.add(listener);
  listener({ online });
  return () => listeners.delete(listener);
}

export function isOnline() {
  return online;
}

function heard(event, id) {
  if (id) last = id;
  if ("online" in event) online = event.online;
  for (const listener of listeners) listener(event);
}

function tell(event, id) {
  if (id) recent.push({ event, id });
  if (recent.length > KEPT) since = recent.shift().id;
  heard(event, id);
  channel.postMessage({ event, id });
}

function place(id) {
  const [epoch, number] = (id ?? "").split("-");
  return { epoch, number: Number(number) };
}

// What a window has missed that was made at an event; everything, if that cannot be told.
function missed(id) {
  const [theirs, first] = [place(id), place(since)];
  if (theirs.epoch !== first.epoch || !(theirs.number >= first.number)) return [{ event: { reload: true }, id: last }];
  return recent.filter((one) => place(one.id).number > theirs.number);
}

channel.onmessage = ({ data }) => {
  if (data.resume) {
    follow();
  } else if (data.ask !== undefined) {
    if (leads) channel.postMessage({ to: data.from, online, missed: missed(data.ask) });
  } else if (data.to !== undefined) {
    if (data.to !== own) return;
    heard({ online: data.online });
    for (const one of data.missed) heard(one.event, one.id);
  } else {
    heard(data.event, data.id);
  }
};

// A ticket is good for one connection: after a loss another one is asked for.
async function open() {
  since = last;
  recent.length = 0;
  try {
    source = new EventSource(await ticketed(`/events?after=${encodeURIComponent(last ?? "")}`));
  } catch {
    lost();
    return;
  }
  source.onopen = () => tell({ online: true });
  source.onmessage = ({ data, lastEventId }) => tell(JSON.parse(data), lastEventId);
  source.onerror = lost;
}

function lost() {
  source?.close();
  tell({ online: false });
  setTimeout(again, 1000);
}

// The program that is back may be another one: then this window goes on in its pages.
async function again() {
  try {
    const next = await resumed();
    if (!next) return open();
    channel.postMessage({ resume: true });
    location.replace(next);
  } catch {
    lost();
  }
}

async function follow() {
  const next = await resumed().catch(() => null);
  if (next) location.replace(next);
}
addEventListener("pagehide", () => source?.close());

function lead() {
  leads = true;
  open();
  return new Promise(() => {});
}

export function start() {
  if (!navigator.locks) {
    lead();
    return;
  }
  navigator.locks.request(NAME, { ifAvailable: true }, (free) => {
    if (free) return lead();
    channel.postMessage({ ask: last, from: own });
    navigator.locks.request(NAME, lead);
    return undefined;
  });
}
