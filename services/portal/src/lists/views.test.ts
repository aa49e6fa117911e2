import { toViewQuery } from "./views.js";

test.each([
  ["status=draft&q=po&from=&zone=Europe/Berlin", "q=po&status=draft"],
  ["day=today&zone=Europe/Berlin&after=shp_a&back=-", "day=today&zone=Europe%2FBerlin"],
  ["refresh=off", ""],
])("%s is the view %j", (query, view) => {
  expect(toViewQuery(new URLSearchParams(query))).toBe(view);
});
