// A shop of the project's own making: list, filters, product pages, cart, checkout, returns.
import { seeded, stamp } from "/random.js";

const KINDS = {
  Lamps: ["LMP", ["Arc", "Fern", "Quill", "Harbour", "Sill", "Ember", "Pivot", "Reed"], "lamp"],
  Desks: ["DSK", ["Ledger", "Trestle", "Bay", "Slope", "Fold", "Corner", "Loft", "Bench"], "desk"],
  Chairs: ["CHR", ["Rook", "Wicker", "Stile", "Perch", "Tern", "Hollow", "Spindle", "Cove"], "chair"],
  Audio: ["AUD", ["Murmur", "Chime", "Lark", "Basso", "Relay", "Drift", "Canto", "Pulse"], "speaker"],
  Kitchen: ["KTN", ["Copper", "Slate", "Thyme", "Kiln", "Basin", "Rind", "Cask", "Mill"], "kettle"],
};
const COLOURS = ["moss", "chalk", "rust", "ink", "sand", "plum"];
const MATERIALS = ["ash wood", "powder-coated steel", "recycled aluminium", "oiled oak", "linen", "stoneware"];
const PRAISE = [
  "Arrived two days early and well packed.", "The finish is better than in the pictures.",
  "Assembly took twenty minutes with the key supplied.", "One foot was loose; support sent a new one.",
  "Quiet, solid and easy to clean.", "Smaller than I thought, so measure first.",
  "We bought a second one for the study.", "The cable could be half a metre longer.",
];
const NAMES = ["Ines", "Tomas", "Aiko", "Ruben", "Leila", "Jonas", "Marta", "Owen", "Priya", "Felix"];

function catalogue() {
  const random = seeded(4711);
  const products = [];
  for (const [kind, [prefix, names, noun]] of Object.entries(KINDS)) {
    for (const name of names) {
      products.push({
        kind, title: `${name} ${noun}`, sku: `${prefix}-${random.whole(1000, 9999)}`,
        price: random.whole(1900, 48900) / 100, stock: random.whole(0, 60),
        colour: random.pick(COLOURS), material: random.pick(MATERIALS),
        part: `${random.code(2)}${random.whole(1000, 9999)}-${random.code(1)}`,
        warranty: `W-${random.code(4)}-${random.whole(10, 99)}`,
        size: [random.whole(18, 180), random.whole(12, 90), random.whole(20, 120)],
        weight: random.whole(8, 320) / 10, rating: random.whole(31, 50) / 10,
        reviews: Array.from({ length: random.whole(3, 7) }, () => ({
          by: random.pick(NAMES), text: random.pick(PRAISE), stars: random.whole(2, 5),
          day: `2025-0${random.whole(1, 9)}-${random.whole(10, 28)}`,
        })),
      });
    }
  }
  return products;
}

const products = catalogue();
const vouchers = Object.keys(KINDS).map((kind, index) => {
  const random = seeded(90 + index);
  return { kind, code: `${kind.slice(0, 4).toUpperCase()}-${random.code(5)}`, percent: random.whole(4, 20), until: `2026-0${index + 2}-28` };
});
const money = (value) => `€${value.toFixed(2)}`;
const bag = () => JSON.parse(localStorage.getItem("bag") ?? "[]");
const orders = () => JSON.parse(localStorage.getItem("orders") ?? "[]");
const keep = (name, value) => localStorage.setItem(name, JSON.stringify(value));
const bySku = (sku) => products.find((product) => product.sku === sku);

function totals() {
  const lines = bag().map(({ sku, quantity }) => ({ ...bySku(sku), quantity }));
  const voucher = vouchers.find(({ code }) => code === localStorage.getItem("voucher"));
  const due = lines.reduce((sum, line) => {
    const less = voucher?.kind === line.kind ? 1 - voucher.percent / 100 : 1;
    return sum + line.price * line.quantity * less;
  }, 0);
  return { lines, voucher, due };
}

function list(shown, heading) {
  const rows = shown.map((p) => `<tr><td><a href="/product/${p.sku}">${p.title}</a></td><td>${p.sku}</td>
    <td>${p.colour}, ${p.material}</td><td>${money(p.price)}</td><td>${p.stock ? `${p.stock} in stock` : "sold out"}</td>
    <td>${p.rating} of 5</td></tr>`).join("");
  return `<h1>${heading}</h1><form action="/search"><label>Search the shop <input name="q" type="search"></label><button>Search</button></form>
    <p>${shown.length} products</p><table><thead><tr><th>Product</th><th>Number</th><th>Make</th><th>Price</th><th>Stock</th><th>Rating</th></tr></thead>
    <tbody>${rows}</tbody></table>`;
}

function product(sku) {
  const p = bySku(sku);
  const more = products.filter((other) => other.kind === p.kind && other !== p).slice(0, 4);
  return `<h1>${p.title}</h1><p>${p.kind}. In ${p.colour}, made of ${p.material}. Rated ${p.rating} of 5 by ${p.reviews.length} buyers.</p>
    <h2>Details</h2><table><tbody><tr><th>Product number</th><td>${p.sku}</td></tr><tr><th>Price</th><td>${money(p.price)}</td></tr>
    <tr><th>Maker's part</th><td>${p.part}</td></tr><tr><th>Warranty code</th><td>${p.warranty}</td></tr>
    <tr><th>Size</th><td>${p.size.join(" × ")} cm</td></tr><tr><th>Weight</th><td>${p.weight} kg</td></tr>
    <tr><th>Stock</th><td>${p.stock}</td></tr></tbody></table>
    <form id="add"><label>Quantity <input name="quantity" type="number" value="1" min="1"></label><button>Add to bag</button></form><p role="status"></p>
    <h2>Reviews</h2>${p.reviews.map((r) => `<article><h3>${r.by}, ${r.day}</h3><p>${r.stars} stars. ${r.text}</p></article>`).join("")}
    <h2>You may also like</h2><ul>${more.map((m) => `<li><a href="/product/${m.sku}">${m.title}</a> ${money(m.price)}</li>`).join("")}</ul>`;
}

function cart() {
  const { lines, voucher, due } = totals();
  return `<h1>Your bag</h1><table><tbody>${lines.map((l) => `<tr><td><a href="/product/${l.sku}">${l.title}</a></td><td>${l.quantity}</td><td>${money(l.price * l.quantity)}</td></tr>`).join("")}</tbody></table>
    <form id="voucher"><label>Voucher code <input name="code"></label><button>Apply voucher</button></form>
    <p role="status">${voucher ? `${voucher.percent}% off ${voucher.kind}` : ""}</p><p>To pay: <strong>${money(due)}</strong></p><a href="/checkout">Check out</a>`;
}

const field = (label, name) => `<label>${label} <input name="${name}" required></label>`;
const pages = {
  "": () => list(products.slice(0, 20), "Good things for the house"),
  kind: (name) => list(products.filter((p) => p.kind === name), name),
  search: () => {
    const wanted = new URLSearchParams(location.search).get("q").toLowerCase();
    return list(products.filter((p) => `${p.title} ${p.sku} ${p.part}`.toLowerCase().includes(wanted)), `Found for ${wanted}`);
  },
  product, cart,
  deals: () => `<h1>Vouchers of the season</h1><ul>${vouchers.map((v) => `<li>${v.kind}: code <code>${v.code}</code> takes ${v.percent}% off until ${v.until}</li>`).join("")}</ul>
    <p>One voucher to an order. Enter it in the bag before checking out.</p>`,
  checkout: () => `<h1>Check out</h1><form id="checkout">${field("Full name", "name")}${field("Street", "street")}${field("Postcode", "postcode")}
    <label>Delivery <select name="delivery"><option>Standard</option><option>Express</option><option>Pick-up point</option></select></label>
    <label><input type="checkbox" name="gift"> Wrap as a gift</label><button>Place order</button></form><p>To pay: ${money(totals().due)}</p>`,
  orders: () => `<h1>Your orders</h1><ul>${orders().map((o) => `<li>${o.number}: ${o.skus.length} products, ${money(o.due)}</li>`).join("") || "<li>No orders yet.</li>"}</ul>`,
  returns: () => `<h1>Return a product</h1><form id="returns">${field("Order number", "order")}${field("Product number", "sku")}${field("Warranty code", "warranty")}
    <label>Reason <select name="reason"><option>Damaged</option><option>Wrong size</option><option>Changed my mind</option></select></label><button>Request return</button></form><p role="status"></p>`,
  match: () => `<h1>Price match</h1><form id="match">${field("Maker's part", "part")}${field("Our price", "price")}${field("Their price", "theirs")}<button>Ask for a match</button></form><p role="status"></p>`,
};

const acts = {
  add: (form) => {
    const sku = location.pathname.split("/")[2];
    keep("bag", [...bag(), { sku, quantity: Number(form.get("quantity")) }]);
    return `${form.get("quantity")} added. The bag holds ${bag().length} products.`;
  },
  voucher: (form) => { localStorage.setItem("voucher", form.get("code")); location.reload(); return ""; },
  checkout: (form) => {
    const { lines, due } = totals();
    const number = `ORD-${100000 + (stamp(JSON.stringify(lines) + form.get("name")) % 900000)}`;
    keep("orders", [...orders(), { number, due, skus: lines.map((l) => l.sku) }]);
    keep("bag", []);
    document.querySelector("main").innerHTML = `<h1>Thank you, ${form.get("name")}</h1><p>Your order number is <strong>${number}</strong>. ${money(due)} was charged.</p><p>Tracking: NL${stamp(number) % 100000000}</p>`;
    return "";
  },
  returns: (form) => {
    const fits = orders().some((o) => o.number === form.get("order") && o.skus.includes(form.get("sku")));
    const right = bySku(form.get("sku"))?.warranty === form.get("warranty");
    return fits && right ? `Return RMA-${10000 + (stamp(form.get("order") + form.get("sku")) % 90000)} is open.` : "We cannot find this purchase.";
  },
  match: (form) => products.some((p) => p.part === form.get("part") && money(p.price) === form.get("price")) ? "Thank you, we will answer within a day." : "No product has this part and price.",
};

const [, page, argument] = location.pathname.split("/");
document.body.insertAdjacentHTML("beforeend", `<header><a href="/">Hearth & Field</a><nav>${Object.keys(KINDS).map((k) => `<a href="/kind/${k}">${k}</a>`).join("")}
  <a href="/deals">Vouchers</a><a href="/cart">Bag</a><a href="/orders">Orders</a><a href="/returns">Returns</a><a href="/match">Price match</a></nav></header>
  <main>${pages[page](argument)}</main><footer><p>Hearth & Field is not a real shop.</p></footer>`);
document.title = `${document.querySelector("h1").textContent} - Hearth & Field`;
document.addEventListener("submit", (event) => {
  const act = acts[event.target.id];
  if (!act) return;
  event.preventDefault();
  const said = act(new FormData(event.target));
  if (said) document.querySelector("[role=status]").textContent = said;
});
