"use strict";
// Sorts and filters the devices of each chart. The page is complete without it.
for (const chart of document.querySelectorAll(".chart")) {
  const form = chart.querySelector(".controls");
  const devices = [...chart.querySelectorAll(".device")];
  const value = (name) => form.querySelector(`[data-control="${name}"]`)?.value ?? "";
  const time = (device) => (device.dataset.fastest === "" ? Infinity : Number(device.dataset.fastest));
  const orders = {
    measured: () => 0,
    name: (one, other) => one.dataset.name.localeCompare(other.dataset.name),
    fastest: (one, other) => (time(one) === time(other) ? 0 : time(one) - time(other)),
  };
  const isShown = (device, claim, seen, processors) => {
    if ("processor" in device.dataset) return processors && claim === "" && seen === "";
    const claims = device.dataset.claims.split(" ").filter((each) => each !== "").map((each) => each.split(":"));
    if (claim === "" && seen === "") return true;
    return claims.some(([step, found]) => (claim === "" || step === claim) && (seen === "" || found === seen));
  };
  const update = () => {
    const processors = form.querySelector('[data-control="processors"]').checked;
    const sorted = [...devices].sort(orders[value("order")]);
    const legend = chart.querySelector(".legend");
    for (const device of sorted) {
      device.hidden = !isShown(device, value("claim"), value("seen"), processors);
      legend.before(device);
    }
    form.querySelector("output").textContent = `${devices.filter((device) => !device.hidden).length} / ${devices.length}`;
  };
  form.addEventListener("change", update);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  update();
}
// What is folded is printed, too.
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
