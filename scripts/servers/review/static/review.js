// Saves an answer as soon as it is complete, and answers to keys.
"use strict";
const form = document.querySelector("form");
const state = document.getElementById("state");
let waiting = null;
let sending = false;
let changed = false;

function isComplete() {
  const answer = new FormData(form);
  const pronoun = answer.get("pronoun");
  return pronoun && (pronoun === "bad" || form.dataset.anaphoric === "0" || answer.get("antecedent"));
}

function show(text, failed = false) {
  state.textContent = text;
  state.classList.toggle("failed", failed);
}

// One answer at a time: of two that are sent together the older might be stored last.
async function save() {
  clearTimeout(waiting);
  waiting = null;
  if (!isComplete()) return show("judge both, then it is saved");
  if (sending) {
    changed = true;
    return;
  }
  sending = true;
  show("saving …");
  let problem = "the server cannot be reached";
  try {
    const body = new URLSearchParams(new FormData(form));
    const answer = await fetch(location.href, {method: "POST", body, headers: {accept: "text/plain"}});
    if (answer.ok) problem = "";
    else problem = `error ${answer.status}`;
  } catch (error) { /* no connection */ }
  sending = false;
  if (changed) {
    changed = false;
    return save();
  }
  show(problem ? `not saved: ${problem}; trying again` : "saved", Boolean(problem));
  if (problem) waiting = setTimeout(save, 5000);
}

if (form) {
  form.addEventListener("change", save);
  form.querySelector("textarea").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(save, 1000);
  });
  form.addEventListener("submit", (event) => {
    if (!isComplete()) {
      event.preventDefault();
      show("judge both first", true);
    }
    clearTimeout(waiting);
    waiting = null;
    changed = false;
  });
  addEventListener("pagehide", () => {
    if ((waiting !== null || changed) && isComplete())
      navigator.sendBeacon(location.href, new URLSearchParams(new FormData(form)));
  });
  addEventListener("beforeunload", (event) => {
    if (state.classList.contains("failed") && isComplete()) event.preventDefault();
  });
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("textarea")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const key = event.key.toLowerCase();
    if (key === "r") {
      event.preventDefault();
      form.querySelector("textarea").focus();
      return;
    }
    const target = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (target) target.click();
  });
}
