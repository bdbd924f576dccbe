// The shop in another language: knows the newest version alone, and holds what shop.py holds.
const http = require("node:http");
const { createHash } = require("node:crypto");
let waiting = 0;

// What is drawn by a text is the same in both languages.
function draw(text) {
  let state = 2166136261;
  for (const byte of Buffer.from(text)) state = Math.imul(state ^ byte, 16777619) >>> 0;
  const below = (count) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % count;
  };
  return { below, choose: (list) => list[below(list.length)], half: () => below(2) === 0 };
}
const many = (count, make) => Array.from({ length: count }, (_, at) => make(at));

function payment(lots) {
  const kind = lots.choose(["card", "transfer", "wallet"]);
  if (kind === "card") {
    const brand = lots.half() ? { brand: "visa" } : {};
    return { kind, last4: String(lots.below(10000)).padStart(4, "0"), ...brand };
  }
  if (kind === "wallet") return { kind, owner: "Ada" };
  const banks = [{ scheme: "iban", iban: "DE02" }, { scheme: "fednow", routing: "021" }];
  return { kind, bank: lots.choose(banks) };
}
function attribute(lots) {
  const unit = lots.half() ? { unit: "cm" } : {};
  return { label: `l${lots.below(9)}`, ...unit };
}
const map = (lots, name, make) =>
  Object.fromEntries(many(lots.below(3), (at) => [`${name}${at}`, make(lots)]));
const line = (lots) => ({
  sku: `s${lots.below(50)}`,
  weight: lots.below(5000),
  attributes: many(lots.below(3), () => map(lots, "a", attribute)),
});
function order(id) {
  const lots = draw(id);
  const made = {
    id,
    customer_name: lots.choose(["Ada", "Grace", "Zoë"]),
    state: lots.choose(["draft", "placed", "packed", "returned"]),
    payment: payment(lots),
    lines: many(lots.below(4), () => line(lots)),
    placed_at: `2026-01-${10 + lots.below(18)}T12:00:00Z`,
  };
  if (lots.half()) made.refunds = map(lots, "r", payment);
  if (lots.below(3) === 0) made.trace = `t${lots.below(100)}`;
  return made;
}
function category(lots, depth) {
  const made = { label: `c${lots.below(99)}` };
  if (lots.half()) made.badge = "new";
  if (depth < 3) made.children = many(lots.below(3), () => category(lots, depth + 1));
  if (depth < 2 && lots.below(3) === 0) made.related = { x: category(lots, depth + 1) };
  return made;
}
function sorted(value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
}
function create(draft) {
  const digest = createHash("sha256").update(JSON.stringify(sorted(draft))).digest("hex");
  const { wanted_at, ...rest } = draft;
  return { ...order(digest), ...rest };
}

function answer(method, path, query, body) {
  const [, , kind, id, action] = path.split("/").map(decodeURIComponent);
  if (kind === "orders" && method === "POST" && action) return [200, order(id)];
  if (kind === "orders" && method === "POST") return [201, create(JSON.parse(body))];
  if (kind === "orders" && id?.startsWith("missing"))
    return [404, { message: "no such order", hint: "look again" }];
  if (kind === "orders" && id) return [200, order(id)];
  const state = query.get("state") ?? "None";
  const count = Number(query.get("page_size") ?? 3);
  if (kind === "orders") return [200, { items: many(count, (at) => order(`${state}-${at}`)) }];
  if (kind === "categories") return [200, category(draw(id), 0)];
  return [200, { sku: id, count: [...id].length }];
}

http.createServer((request, response) => {
  const pieces = [];
  request.on("data", (piece) => pieces.push(piece));
  request.on("end", () => {
    if (request.url === "/waiting") return response.end(String(waiting));
    const { pathname, searchParams } = new URL(request.url, "http://shop");
    const [status, value] = answer(request.method, pathname, searchParams, Buffer.concat(pieces));
    const send = () => {
      const total = pathname === "/api/orders" && request.method === "GET";
      const content = Buffer.from(JSON.stringify(value));
      response.writeHead(status, {
        "content-type": "application/json",
        "content-length": content.length,
        ...(total ? { "x-total-count": "99" } : {}),
      });
      response.end(content);
    };
    if (!request.headers["x-slow"]) return send();
    waiting += 1;
    setTimeout(send, Number(request.headers["x-slow"]));
  });
}).listen(0, "127.0.0.1", function () { console.log(this.address().port); });
