"use strict";
// Search, the memory of the version picker, links of fields to themselves, folded parts that links lead to, and buttons that copy. Without it the pages lack nothing else.
(() => {
  const up = document.body.dataset.up;
  const version = document.body.dataset.version;

  // --- fields link to themselves, or to their place on the page of the schema that has them
  const linkTo = (name, address, anchor) => {
    const link = document.createElement("a");
    link.href = address + "#" + encodeURIComponent(anchor);
    link.textContent = name.textContent;
    name.replaceWith(link);
  };
  for (const name of document.querySelectorAll(".rows > li[id] > code:first-child")) {
    linkTo(name, "", name.parentElement.id);
  }
  const nameStep = (row, name) => {
    const roles = [...row.querySelectorAll(":scope > em")].map((each) => each.textContent);
    if (roles.includes("item")) return name === "[ ]" ? "item" : "item-" + name.slice(1, -1);
    if (roles.includes("other member")) return "other";
    return (roles.includes("member") ? "member-" + name.slice(1, -1) : name).replace(/\s+/g, "-");
  };
  const linkRows = (rows, address, around) => {
    for (const row of rows.querySelectorAll(":scope > li:not(.removed)")) {
      const name = row.querySelector(":scope > code:first-child");
      if (!name) continue;
      const anchor = around + "." + nameStep(row, name.textContent);
      const below = row.querySelector(":scope > details > .rows:not([data-home])");
      linkTo(name, address, anchor);
      if (below) linkRows(below, address, anchor);
    }
  };
  for (const rows of document.querySelectorAll(".rows[data-home]")) linkRows(rows, rows.dataset.home, "schema");

  // --- what a link leads to is open
  const unfold = () => document.querySelector(":target")?.closest("summary")?.parentElement.setAttribute("open", "");
  window.addEventListener("hashchange", unfold);
  window.addEventListener("load", unfold);

  // --- copy buttons
  for (const block of document.querySelectorAll("pre:not(.fragment)")) {
    if (!navigator.clipboard) break;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    if (!block.closest(".sample")) {
      const around = document.createElement("div");
      around.className = "sample";
      block.replaceWith(around);
      around.append(block);
    }
    block.before(button);
  }

  // --- the version that was read last is marked on the first page
  const key = "dateline:" + document.querySelector(".home").textContent;
  try {
    if (up === ".") {
      const last = localStorage.getItem(key);
      const known = [...document.querySelectorAll("#versions ~ .wide th a")].find((a) => a.textContent === last);
      if (known) {
        const note = document.createElement("span");
        note.className = "soft";
        note.textContent = " read last";
        known.after(note);
        if (known.getAttribute("href") !== document.querySelector(".go").getAttribute("href")) {
          const link = document.createElement("a");
          link.href = known.href;
          link.textContent = "Reference of " + last + ", which you read last";
          document.querySelector(".go").parentElement.append(" · ", link);
        }
      }
    } else {
      localStorage.setItem(key, version);
    }
  } catch { /* storage may be closed to pages from disk */ }

  // --- a filter above long lists of changes
  const changes = [...document.querySelectorAll("main article")];
  if (changes.length > 20) {
    const label = document.createElement("label");
    const field = document.createElement("input");
    const count = document.createElement("span");
    label.className = "filter";
    field.type = "search";
    count.setAttribute("role", "status");
    label.append("Filter changes ", field, " ", count);
    changes[0].closest("section").before(label);
    const texts = changes.map((each) => each.textContent.toLowerCase());
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      let left = 0;
      changes.forEach((each, index) => {
        each.hidden = !words.every((word) => texts[index].includes(word));
        left += !each.hidden;
        for (let around = each.parentElement; words.length && !each.hidden && around; around = around.parentElement) {
          if (around.tagName === "DETAILS") around.open = true;
        }
      });
      for (const group of document.querySelectorAll(".group")) {
        group.hidden = !group.querySelector("article:not([hidden])");
      }
      for (const heading of document.querySelectorAll("main h3:not(summary h3)")) {
        let next = heading.nextElementSibling;
        while (next && next.hidden) next = next.nextElementSibling;
        heading.hidden = !next || next.tagName === "H3";
      }
      count.textContent = words.length ? left + " of " + changes.length : "";
    });
  }

  // --- search
  const form = document.createElement("form");
  form.className = "search";
  form.setAttribute("role", "search");
  form.innerHTML = `<label for="search">Search</label>
    <input id="search" type="search" autocomplete="off" spellcheck="false">
    <ul id="found" aria-label="Search results" hidden></ul>
    <p class="status" role="status"></p>`;
  document.querySelector(".top").append(form);
  const input = document.getElementById("search");
  const list = document.getElementById("found");
  const status = form.querySelector(".status");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  let asked = false;
  const loaded = () => new Promise((resolve) => {
    if (window.datelineIndex) { resolve(); return; }
    const script = asked || document.createElement("script");
    script.addEventListener("load", resolve, { once: true });
    if (!asked) { script.src = up + "/search.js"; document.head.append(script); asked = script; }
  });
  // places are listed as what differs: from the place before, and from the version before
  const readPlaces = (shortened) => {
    const places = [];
    for (let at = 0; at < shortened.length; at += 2) {
      places.push((places.at(-1) ?? "").slice(0, shortened[at]) + shortened[at + 1]);
    }
    return places;
  };
  // where each place is to be read: in this version if it is there
  const datePlaces = (versions) => {
    const dates = new Map();
    const now = new Set();
    for (const [date, added, gone] of versions) {
      readPlaces(gone).forEach((place) => now.delete(place));
      for (const place of readPlaces(added)) {
        now.add(place);
        if (!dates.has(place)) dates.set(place, date);
      }
      if (date === version) now.forEach((place) => dates.set(place, date));
    }
    return [...dates];
  };
  const readEntry = ([title, name, tag, page, names, versions, words]) => {
    const called = [title, name, ...names.split(" ")].map((each) => each.toLowerCase());
    const places = datePlaces(versions).map(([place, date]) => {
      const [anchor] = place.split(" ", 1);
      const value = place.slice(anchor.length + 1);
      return { anchor, date, value, text: (value || anchor.slice(anchor.indexOf(".") + 1)).toLowerCase() };
    });
    const [date] = versions.find(([each]) => each === version) ?? versions[0] ?? [];
    const path = name.slice(name.indexOf(" ") + 1).toLowerCase();
    return { title, name, tag, page, date, path, called, places, words };
  };
  // exact names come first, then exact fields and values, parts of names, parts of fields, other words
  const rank = (entry, wanted, words) => {
    if (entry.called.includes(wanted)) return [0];
    if (entry.path === wanted) return [1];
    const exact = entry.places.find(({ value, text }) => text === wanted || (!value && text.endsWith("." + wanted)));
    if (exact) return [2, exact];
    const names = entry.called.join(" ");
    const others = words.filter((word) => !names.includes(word));
    if (!others.length) return [3];
    const place = entry.places.find(({ text }) => others.every((word) => text.includes(word)));
    if (place) return [4, place];
    const all = [entry.tag.toLowerCase(), entry.words, ...entry.places.map(({ text }) => text)].join(" ");
    return others.every((word) => all.includes(word)) ? [5] : null;
  };
  let entries;
  const find = (text) => {
    entries ??= window.datelineIndex.map(readEntry);
    const wanted = text.toLowerCase();
    const words = wanted.split(/\s+/);
    const ranked = entries.map((entry) => [rank(entry, wanted, words), entry]).filter(([found]) => found);
    const deep = (place) => place?.anchor.split(".").length ?? 0;
    ranked.sort(([[a, first]], [[b, second]]) => a - b || deep(first) - deep(second));
    return ranked.map(([[, place], entry]) => [entry, place]);
  };
  const write = ([{ title, name, tag, page, date }, place]) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const fragment = place ? "#" + encodeURIComponent(place.anchor) : "";
    link.href = [up, place?.date ?? date, page].filter(Boolean).join("/") + ".html" + fragment;
    link.textContent = title;
    const about = document.createElement("span");
    about.className = "soft";
    const [, ...steps] = place?.anchor.split(".") ?? [];
    const label = [steps.join("."), place?.value].filter(Boolean).join(": ");
    about.textContent = " " + [name === title ? "" : name, label, tag, place?.date ?? date].filter(Boolean).join(" · ");
    item.append(link, about);
    return item;
  };
  input.addEventListener("input", async () => {
    await loaded();
    const text = input.value.trim();
    const found = text ? find(text) : [];
    list.replaceChildren(...found.slice(0, 20).map(write));
    list.hidden = !found.length;
    status.textContent = text ? found.length + " found" + (found.length > 20 ? ", 20 listed" : "") : "";
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
      event.preventDefault();
      input.focus();
    } else if (event.key === "Escape") {
      input.value = "";
      list.hidden = true;
      status.textContent = "";
    }
  });
})();
