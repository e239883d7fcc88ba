/**
 * What the API page does in the browser, as the browser gets it: bundlers may not touch it, because the page's policy
 * names it by its hash. The token stays in its field: nothing here keeps it or puts it into an address, and requests
 * carry no cookie. Answers are shown as text alone. It is ASCII: with any other letter the whole bundle would take twice
 * its memory.
 */
export const script = String.raw`
"use strict";
const mostShownBytes = 1_000_000;
const byId = (id) => document.getElementById(id);
const make = (name, text, attributes = {}) => {
  const element = document.createElement(name);
  element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};

function openNamed() {
  const named = byId(decodeURIComponent(location.hash.slice(1)));
  if (named === null || named.localName !== "details") return;
  named.open = true;
  named.scrollIntoView();
}

const operations = [...document.querySelectorAll(".operation")].map((element) => ({
  element,
  text: (element.id + " " + element.querySelector("summary").textContent).toLowerCase(),
}));
function find() {
  const words = byId("find").value.toLowerCase().split(/\s+/);
  let count = 0;
  for (const { element, text } of operations) {
    const isFound = words.every((word) => text.includes(word));
    element.hidden = !isFound;
    if (isFound) count += 1;
  }
  for (const group of document.querySelectorAll(".group")) {
    group.hidden = group.querySelector(".operation:not([hidden])") === null;
  }
  byId("found").textContent = count + (count === 1 ? " operation" : " operations");
}

/** The request that a filled-in form stands for; its address is relative to the page's. */
function requestOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  const headers = {};
  let body;
  for (const field of form.querySelectorAll("[data-in]")) {
    const { in: place, type } = field.dataset;
    if (place === "path") path = path.replace("{" + field.name + "}", () => segment(field.value));
    else if (place === "body" && field.value !== "") {
      headers["content-type"] = type;
      body = field.value;
    } else if (place === "form") {
      body ??= new FormData();
      const values = field.type === "file" ? [...field.files] : [field.value].filter((one) => one !== "");
      for (const value of values) body.append(field.name, value);
    } else if (place === "query" && field.value !== "") {
      const values = "list" in field.dataset ? field.value.split(",") : [field.value];
      for (const value of values) query.append(field.name, value.trim());
    } else if (place === "header" && field.value !== "") headers[field.name] = field.value;
  }
  const token = byId("token").value.trim();
  if (token !== "") headers.authorization = "token " + token;
  const address = "v1" + path + (query.size > 0 ? "?" + query : "");
  return { address, init: { method: form.dataset.method.toUpperCase(), headers, body } };
}

/** A name in a path; browsers would take dots alone for a step up, however they are written. */
function segment(value) {
  if (/^\.{1,2}$/.test(value)) throw new Error(value + " can't stand alone in a path");
  return encodeURIComponent(value);
}

async function send(form) {
  const shown = form.querySelector(".answer") ?? form.appendChild(make("div", "", { class: "answer" }));
  const status = make("p", "Sending \u2026", { role: "status" });
  shown.replaceChildren(status);
  const button = form.querySelector("button");
  button.setAttribute("aria-disabled", "true");
  try {
    const { address, init } = requestOf(form);
    const url = new URL(address, document.baseURI);
    shown.append(make("p", init.method + " " + url.href));
    const response = await fetch(url, { ...init, credentials: "omit", cache: "no-store" });
    const body = await bodyOf(response);
    status.textContent = "Answer: " + response.status + " " + response.statusText;
    const headers = [...response.headers].map(([name, value]) => name + ": " + value).join("\n");
    shown.append(...part("Headers", headers), ...part("Body", body));
  } catch (error) {
    // fetch says no more than that it failed.
    const isFailure = error instanceof TypeError;
    status.textContent = isFailure
      ? "No answer that this page may read: the connection failed, or it leads to another site."
      : error.message;
  } finally {
    button.removeAttribute("aria-disabled");
  }
}

const part = (title, text) => [
  make("h3", title),
  text === "" ? make("p", "None.") : make("pre", text, { tabindex: "0", role: "region", "aria-label": title + " of the answer" }),
];

/** The body as text, as much of it as a page can show. */
async function bodyOf(response) {
  const type = response.headers.get("content-type") ?? "";
  const isText = /^text\/|json|xml|yaml/.test(type);
  if (response.body === null) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let [text, bytes, isDone] = ["", 0, false];
  while (!isDone && bytes < mostShownBytes) {
    const { done, value } = await reader.read();
    isDone = done;
    bytes += value?.length ?? 0;
    if (value !== undefined && isText) text += decoder.decode(value, { stream: true });
  }
  if (!isDone) await reader.cancel();
  const size = (isDone ? "" : "more than ") + bytes + " bytes";
  if (!isText) return bytes === 0 ? "" : size + " of " + type;
  if (!isDone) return text + "\n\u2026 " + size + ": cut here";
  return /json/.test(type) ? laidOut(text) : text;
}

function laidOut(text) {
  // Numbers beyond 2^53 would change: such a text is shown as it came.
  if (/\d{16}/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

document.documentElement.classList.add("runs");
byId("find").addEventListener("input", find);
addEventListener("hashchange", openNamed);
document.addEventListener("submit", (event) => {
  event.preventDefault();
  const button = event.target.querySelector("button");
  if (button.getAttribute("aria-disabled") !== "true") void send(event.target);
});
find();
openNamed();
`;
