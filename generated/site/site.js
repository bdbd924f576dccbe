"use strict";
// Search, the memory of the version picker, links of fields to themselves, folded parts that links lead to, and buttons that copy. Without it the pages lack nothing else.
(() => {
  const up = document.body.dataset.up;
  const version = document.body.dataset.version;

  // --- fields link to themselves
  for (const name of document.querySelectorAll(".rows > li[id] > code:first-child")) {
    const link = document.createElement("a");
    link.href = "#" + encodeURIComponent(name.parentElement.id);
    link.textContent = name.textContent;
    name.replaceWith(link);
  }

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
  const find = (text) => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const ranked = [];
    for (const entry of window.datelineIndex) {
      const all = entry.slice(0, 4).join(" ").toLowerCase();
      if (!words.every((word) => all.includes(word))) continue;
      const title = entry[0].toLowerCase();
      ranked.push([words.every((word) => title.includes(word)) ? (title === text.toLowerCase() ? 0 : 1) : 2, entry]);
    }
    return ranked.sort((a, b) => a[0] - b[0]).map((each) => each[1]);
  };
  input.addEventListener("input", async () => {
    await loaded();
    const text = input.value.trim();
    const found = text ? find(text) : [];
    list.replaceChildren(...found.slice(0, 20).map((entry) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = up + "/" + entry[5];
      link.textContent = entry[0];
      const about = document.createElement("span");
      about.className = "soft";
      about.textContent = " " + [entry[1], entry[4]].filter(Boolean).join(" · ");
      item.append(link, about);
      return item;
    }));
    list.hidden = !found.length;
    status.textContent = text ? found.length + " found" : "";
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
