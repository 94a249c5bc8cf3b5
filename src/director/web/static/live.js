// One stream of events for a whole browser: the window that holds a lock opens it and passes on
// what it hears. When that window closes, another one takes the lock and everyone looks again.

const listeners = new Set();
const channel = new BroadcastChannel("director-events");
let online = true;
let leads = false;

export function listen(listener) {
  listeners.add(listener);
  listener({ online });
  return () => listeners.delete(listener);
}

export function isOnline() {
  return online;
}

function heard(event) {
  if ("online" in event) online = event.online;
  for (const listener of listeners) listener(event);
}

function tell(event) {
  heard(event);
  channel.postMessage(event);
}

channel.onmessage = ({ data }) => {
  // A new window asks how things are; only the one that listens knows.
  if (data.ask) {
    if (leads) channel.postMessage({ online });
    return;
  }
  heard(data);
};

function open() {
  const source = new EventSource("/events");
  source.onopen = () => {
    if (!online) tell({ reload: true });
    tell({ online: true });
  };
  source.onmessage = ({ data }) => tell(JSON.parse(data));
  source.onerror = () => {
    tell({ online: false });
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(open, 2000);
  };
  addEventListener("pagehide", () => source.close(), { once: true });
}

function lead(again) {
  leads = true;
  // What was told while nobody listened is not known: look at everything once more.
  if (again) tell({ reload: true });
  open();
  return new Promise(() => {});
}

export function start() {
  if (!navigator.locks) {
    leads = true;
    open();
    return;
  }
  const name = "director-events";
  navigator.locks.request(name, { ifAvailable: true }, (free) => {
    if (free) return lead(false);
    channel.postMessage({ ask: true });
    navigator.locks.request(name, () => lead(true));
    return undefined;
  });
}
