// Shortcuts, links on hover, and news for screen readers. Pages work without any of it.
"use strict";

(function () {
  document.documentElement.classList.add("with-js");

  // A status that is there from the start is not read out: it is said once more.
  var status = document.getElementById("status"), live = document.getElementById("live");
  if (status && live) {
    window.setTimeout(function () { live.textContent = status.textContent; }, 150);
  }

  // ---- shortcuts -------------------------------------------------------------------------------
  var KEPT = "crosspro-shortcuts";
  var button = document.getElementById("keys");
  var on = true;
  try { on = window.localStorage.getItem(KEPT) !== "off"; } catch (error) { on = true; }
  function show() {
    if (!button) { return; }
    button.setAttribute("aria-pressed", String(on));
    button.textContent = on ? "Shortcuts are on" : "Shortcuts are off";
  }
  if (button) {
    button.addEventListener("click", function () {
      on = !on;
      try { window.localStorage.setItem(KEPT, on ? "on" : "off"); } catch (error) { /* not kept */ }
      show();
    });
  }
  show();

  function isText(element) {
    return element && (/^(TEXTAREA|SELECT)$/.test(element.tagName) ||
      (element.tagName === "INPUT" && !/^(radio|checkbox|submit|button)$/.test(element.type)));
  }
  function keyOf(event) {
    // Digits by their place, so that keyboards on which they need Shift have them, too.
    var digit = /^(?:Digit|Numpad)([0-9])$/.exec(event.code || "");
    return digit ? digit[1] : event.key;
  }
  var sending = false;
  function use(element) {
    if (element.tagName === "INPUT") {
      if (element.type === "checkbox") { element.checked = !element.checked; }
      else { element.checked = true; }
      element.focus();
    } else {
      element.click();
    }
  }
  function unfold(id) {
    var summary = document.getElementById(id);
    if (summary) { summary.click(); summary.focus(); }
  }
  document.addEventListener("keydown", function (event) {
    var here = document.activeElement;
    if (event.altKey || event.metaKey || event.isComposing) { return; }
    if (event.key === "Escape" && here) { here.blur(); return; }
    if (event.key === "Enter") {
      // Links, buttons and summaries keep their own Enter; fields send the form by themselves.
      if (here && /^(A|BUTTON|SUMMARY|TEXTAREA)$/.test(here.tagName)) { return; }
      var enter = document.querySelector("[data-key='Enter']");
      if (enter && (on || isText(here))) { event.preventDefault(); enter.click(); }
      return;
    }
    if (!on || event.ctrlKey || isText(here)) { return; }
    var key = keyOf(event);
    if (key === "x" || key === "y") { event.preventDefault(); unfold(key === "x" ? "earlier" : "later"); return; }
    if (!/^[a-z0-9]$/.test(key)) { return; }
    var target = document.querySelector("[data-key='" + key + "']");
    if (target) { event.preventDefault(); use(target); return; }
    target = document.querySelector("[data-focus='" + key + "']");
    if (target) { event.preventDefault(); target.focus(); }
  });
  document.addEventListener("submit", function (event) {
    if (sending) { event.preventDefault(); }  // a second Enter while the first is on its way
    sending = true;
  });
  window.addEventListener("pageshow", function () { sending = false; });

  document.querySelectorAll("[data-arrows]").forEach(function (row) {
    row.addEventListener("keydown", function (event) {
      var step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (!step) { return; }
      var all = Array.prototype.slice.call(row.querySelectorAll("input"));
      var next = all[all.indexOf(document.activeElement) + step];
      if (next) { event.preventDefault(); next.focus(); }
    });
  });

  // ---- links -----------------------------------------------------------------------------------
  var SVG = "http://www.w3.org/2000/svg";
  function clear(line) {
    line.querySelectorAll(".linked").forEach(function (word) { word.classList.remove("linked"); });
    var drawn = line.querySelector("svg");
    if (drawn) { drawn.remove(); }
  }
  function draw(line, word) {
    clear(line);
    var links = (word.dataset.links || "").split(" ").filter(Boolean);
    var side = word.closest("[data-side]");
    if (!links.length || !side) { return; }
    var other = line.querySelector("[data-side='" + (side.dataset.side === "source" ? "candidate" : "source") + "']");
    if (!other) { return; }
    var box = line.getBoundingClientRect();
    var picture = document.createElementNS(SVG, "svg");
    picture.setAttribute("class", "links");
    picture.setAttribute("aria-hidden", "true");
    picture.setAttribute("width", String(box.width));
    picture.setAttribute("height", String(box.height));
    word.classList.add("linked");
    links.forEach(function (at) {
      var end = other.querySelector("[data-at='" + at + "']");
      if (!end) { return; }
      end.classList.add("linked");
      var a = word.getBoundingClientRect(), b = end.getBoundingClientRect();
      var x1 = a.left + a.width / 2 - box.left, x2 = b.left + b.width / 2 - box.left;
      var path = document.createElementNS(SVG, "path");
      if (Math.abs(a.top - b.top) < Math.abs(a.left - b.left)) {  // beside each other: under the text
        var low = Math.max(a.bottom, b.bottom) - box.top;
        path.setAttribute("d", "M" + x1 + " " + (a.bottom - box.top) + " Q" + (x1 + x2) / 2 + " " +
          (low + 22) + " " + x2 + " " + (b.bottom - box.top));
      } else {
        var up = a.top < b.top ? a : b, down = up === a ? b : a;
        path.setAttribute("d", "M" + (up === a ? x1 : x2) + " " + (up.bottom - box.top) + " L" +
          (up === a ? x2 : x1) + " " + (down.top - box.top));
      }
      picture.appendChild(path);
    });
    line.appendChild(picture);
  }
  document.querySelectorAll(".line").forEach(function (line) {
    function begin(event) {
      var word = event.target.closest(".w");
      if (word) { draw(line, word); }
    }
    line.addEventListener("mouseover", begin);
    line.addEventListener("focusin", begin);
    line.addEventListener("mouseleave", function () { clear(line); });
    line.addEventListener("focusout", function () { clear(line); });
  });
})();
