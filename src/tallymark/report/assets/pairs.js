// Shows the differences between any two models in every metric, as the page's data has them in words.
(function () {
  "use strict";
  const pairs = JSON.parse(document.getElementById("data").textContent).pairs;
  const form = document.getElementById("pick"), table = document.getElementById("pair");
  const selects = form.querySelectorAll("select"), heads = table.querySelectorAll("thead th");
  // numbers come with a hyphen as their minus, without the 0 before their point and the plus before that
  const whole = (t) => t.replace(/^-/, "−").replace(/^−?(?=\.)/, "$&0");
  const signed = (t) => (t[0] === "." && Number(t) ? "+" : "") + whole(t);
  const show = () => {
    let [a, b] = Array.from(selects, (s) => s.value);
    if (!pairs.of[a + " " + b]) [a, b] = [b, a];
    const texts = pairs.of[a + " " + b];
    table.parentElement.hidden = !texts;
    form.querySelector("output").textContent = texts ? "" : "Choose two different models.";
    if (!texts) return;
    heads[1].textContent = pairs.names[a];
    heads[2].textContent = pairs.names[b];
    table.caption.firstChild.textContent = pairs.names[a] + " − " + pairs.names[b] + "; p is not corrected.";
    table.tBodies[0].replaceChildren(...texts.split(";").map((text, i) => {
      const [gap, low, high, p] = text.split("|"), row = document.createElement("tr");
      const name = document.createElement("th");
      name.scope = "row";
      name.textContent = pairs.titles[i];
      row.append(name);
      [pairs.values[a][i], pairs.values[b][i], signed(gap), low && signed(low) + " to " + signed(high), whole(p)].forEach((t) => {
        row.insertCell().textContent = t;
      });
      return row;
    }));
  };
  [selects[0].value, selects[1].value] = pairs.start.split(" ");
  form.addEventListener("change", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  show();
})();
