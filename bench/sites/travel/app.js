// A booking site of the project's own making: search, choose, traveller form, change, expenses.
import { seeded, stamp } from "/random.js";

const TOWNS = ["Aldermere", "Brightwater", "Coldharbour", "Dunmarsh", "Eastvale", "Farrow"];
const PLACES = ["Lantern", "Old Mill", "Harbour View", "Three Oaks", "Station", "Orchard", "Weaver's", "Cloister"];
const saved = () => JSON.parse(localStorage.getItem("bookings") ?? "[]");
const money = (value) => `${value.toFixed(2)} EUR`;
const clock = (minutes) => `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;

function trains(from, to, day) {
  const random = seeded(stamp(from + to + day));
  let leaves = 340;
  return Array.from({ length: 11 }, () => {
    leaves += random.whole(35, 110);
    const takes = random.whole(70, 190);
    return { code: `NX${random.whole(1000, 9999)}`, leaves: clock(leaves % 1440), arrives: clock((leaves + takes) % 1440), takes, changes: random.whole(0, 2),
      price: random.whole(1800, 9900) / 100, fare: `F${random.code(4)}`, platform: random.whole(1, 14) };
  });
}

function rooms(town, day) {
  const random = seeded(stamp(town + day));
  return PLACES.map((name) => ({ code: `RM${random.whole(10000, 99999)}`, name: `${name} ${random.pick(["Inn", "Hotel", "House"])}`, price: random.whole(4900, 21000) / 100,
    beds: random.pick(["one double bed", "two single beds", "one double and one single bed"]), rating: random.whole(60, 98) / 10, rate: `R-${random.code(5)}`,
    distance: random.whole(1, 29) / 10, breakfast: random.pick(["breakfast included", "breakfast 14.00 EUR", "no breakfast"]) }));
}

const towns = (label, name) => `<label>${label} <select name="${name}">${TOWNS.map((t) => `<option>${t}</option>`).join("")}</select></label>`;
const field = (label, name) => `<label>${label} <input name="${name}" required></label>`;
const query = new URLSearchParams(location.search);
const ask = (name) => query.get(name);

const pages = {
  "": () => `<h1>Where to?</h1><h2>Trains</h2><form action="/trains">${towns("From", "from")}${towns("To", "to")}${field("Day", "day")}<button>Find trains</button></form>
    <h2>Rooms</h2><form action="/rooms">${towns("Town", "town")}${field("Night of", "day")}<button>Find rooms</button></form>`,
  trains: () => `<h1>${ask("from")} to ${ask("to")} on ${ask("day")}</h1><table><thead><tr><th>Train</th><th>Leaves</th><th>Arrives</th><th>Takes</th><th>Changes</th><th>Platform</th><th>Fare</th><th>Price</th><th></th></tr></thead><tbody>
    ${trains(ask("from"), ask("to"), ask("day")).map((t) => `<tr><td>${t.code}</td><td>${t.leaves}</td><td>${t.arrives}</td><td>${t.takes} min</td><td>${t.changes}</td><td>${t.platform}</td><td>${t.fare}</td><td>${money(t.price)}</td>
    <td><a href="/traveller?what=${t.code}&price=${t.price}&day=${ask("day")}">Choose ${t.code}</a></td></tr>`).join("")}</tbody></table><a href="/">New search</a>`,
  rooms: () => `<h1>Rooms in ${ask("town")}, night of ${ask("day")}</h1>${rooms(ask("town"), ask("day")).map((r) => `<article><h2>${r.name}</h2><p>Room ${r.code} with ${r.beds}, ${r.breakfast}, ${r.distance} km from the station. Guests say ${r.rating}.
    Rate ${r.rate}: <strong>${money(r.price)}</strong></p><a href="/traveller?what=${r.code}&price=${r.price}&day=${ask("day")}">Choose ${r.code}</a></article>`).join("")}<a href="/">New search</a>`,
  traveller: () => `<h1>Who travels?</h1><p>${ask("what")} on ${ask("day")} for ${money(Number(ask("price")))}</p><form id="traveller">${field("First name", "first")}${field("Surname", "surname")}${field("Card number", "card")}
    <fieldset><legend>Seat</legend>${["window", "aisle", "any"].map((s) => `<label><input type="radio" name="seat" value="${s}" ${s === "any" ? "checked" : ""}> ${s}</label>`).join("")}</fieldset><button>Book</button></form>`,
  bookings: () => `<h1>Change a booking</h1><form id="change">${field("Booking reference", "reference")}${field("Surname", "surname")}${field("New day", "day")}<button>Ask for the change</button></form><p role="status"></p>`,
  expenses: () => `<h1>Expense claim</h1><form id="expense">${field("Booking reference", "reference")}${field("Train or room", "what")}${field("Fare or rate", "fare")}${field("Amount", "amount")}<button>Add line</button></form><p role="status"></p><ul id="lines"></ul>`,
  rules: () => `<h1>Terms</h1>${Array.from({ length: 12 }, (_, i) => `<h2>Rule ${i + 1}</h2><p>${["A change is free until the evening before.", "Keep the reference until the journey is over.", "A fare code belongs to one train and one day.", "Rooms are held until eight in the evening.", "Refunds go to the card that paid."][i % 5]} See form NL-${310 + i * 7}.</p>`).join("")}`,
};

const acts = {
  traveller: (form) => {
    const number = stamp(ask("what") + ask("day") + form.get("surname"));
    const reference = number.toString(36).toUpperCase().slice(0, 6);
    localStorage.setItem("bookings", JSON.stringify([...saved(), { reference, surname: form.get("surname"), what: ask("what") }]));
    document.querySelector("main").innerHTML = `<h1>Booked</h1><p>${ask("what")} on ${ask("day")}. Your booking reference is <strong>${reference}</strong>.</p><p>Receipt RC-${number % 1000000}, ticket ${number % 89 + 10}${form.get("seat")[0].toUpperCase()}.</p><a href="/">New search</a>`;
    return "";
  },
  change: (form) => saved().some((b) => b.reference === form.get("reference") && b.surname === form.get("surname")) ? `${form.get("reference")} moved to ${form.get("day")}.` : "No such booking.",
  expense: (form) => {
    document.querySelector("#lines").insertAdjacentHTML("beforeend", `<li>line ${document.querySelectorAll("#lines li").length + 1} is noted</li>`);
    return saved().some((b) => b.reference === form.get("reference") && b.what === form.get("what")) ? "The line was added." : "The reference does not belong to this booking.";
  },
};

const page = location.pathname.split("/")[1];
document.body.insertAdjacentHTML("beforeend", `<header><nav><a href="/">Search</a><a href="/bookings">Change a booking</a><a href="/expenses">Expenses</a><a href="/rules">Terms</a></nav></header><main>${pages[page]()}</main>`);
document.title = `${document.querySelector("h1").textContent} - Northline`;
document.addEventListener("submit", (event) => {
  const act = acts[event.target.id];
  if (!act) return;
  event.preventDefault();
  const said = act(new FormData(event.target));
  if (said) document.querySelector("[role=status]").textContent = said;
});
