{{/*
The public paths of the portal; everything else is the gateway's. A prefix is the path itself and what begins with it and a slash.
test/chart/paths.check.ts compares them with kit/src/http/public-paths.ts.
*/}}
{{- define "shipping.portalPaths" -}}
exact: [/, /llms.txt, /llms-full.txt, /style.css, /code.js, /favicon.svg, /favicon.ico]
prefixes: [/docs, /developers]
{{- end }}
