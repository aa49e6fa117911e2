// Addresses of the former reference, such as `/docs/reference#/labels/createLabel`, lead to the page of the operation.
function followAnchor() {
  const [, operation] = /^#\/\w+\/(\w+)$/.exec(location.hash) ?? [];
  const link = operation && document.querySelector(`main a[href$="/${operation}"]`);
  if (link) location.replace(link.href);
}
addEventListener("hashchange", followAnchor);
followAnchor();
