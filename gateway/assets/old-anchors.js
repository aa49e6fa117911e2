// Addresses of the former reference lead on: `/docs/reference#/labels/createLabel` to the page of the operation, `#/labels` to its resource.
function followAnchor() {
  const [, resource, operation] = /^#\/(\w+)(?:\/(\w+))?$/.exec(location.hash) ?? [];
  const link = operation && document.querySelector(`main a[href$="/${operation}"]`);
  if (link) location.replace(link.href);
  else if (resource) location.replace(`#${resource.toLowerCase()}`);
}
addEventListener("hashchange", followAnchor);
followAnchor();
