import { findAdvice } from "./json-advice.js";
import { findJsonFault } from "./json-body.js";

test.each([
  ["reference=1&to[name]=x", "This is a form: send a JSON object."],
  ["[object Object]", "This is how JavaScript prints an object: send what JSON.stringify returns."],
  ["undefined", "This is a value that was never set."],
  ["@order.json", "This is the name of a file: with curl, send it with --data-binary @file."],
  ["<?xml?>", "This is XML or HTML: send a JSON object."],
  ['{"a": 1,5}', "Write decimals with a point, such as 1.5."],
  ['{"a": [1,\n ]}', "Remove the comma before it."],
  ['{"a": None}', "JSON has null, true and false: in Python, send what json.dumps returns."],
  ['{"a": True}', "JSON has null, true and false: in Python, send what json.dumps returns."],
  ['{"a": -Infinity}', "JSON has only finite numbers."],
  ["{'a': 1}", 'Use straight double quotes, as in "name".'],
  ["{\u201ca\u201d: 1}", 'Use straight double quotes, as in "name".'],
  ['{"a": 1 // one\n}', "JSON has no comments: remove it."],
  ['{"a": "x\ny"}', "End the string in its line, and write a line break in it as \\n."],
  ["{a: 1}", "Put the name in double quotes."],
  ['{"a": 1, b: 2}', "Put the name in double quotes."],
])("of %j it says: %s", (text, advice) => {
  const at = findJsonFault(text) ?? 0;
  expect(findAdvice(text.slice(0, at), text.slice(at))).toBe(` ${advice}`);
});

test.each(["{} {}", '{"a": 01}', '{"a" 1}', '{"a": "\\x"}'])("of %j it says nothing", (text) => {
  const at = findJsonFault(text) ?? 0;
  expect(findAdvice(text.slice(0, at), text.slice(at))).toBe("");
});
