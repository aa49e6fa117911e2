{{/* Peers of a policy: a component of a trial's own, or those that the operator names. Argument: (list $ component peers). */}}
{{- define "shipping.peers" -}}
{{- $root := index . 0 -}}
{{- if $root.Values.dev.enabled -}}
- podSelector:
    matchLabels:
      {{- include "shipping.selector" (list $root (index . 1)) | nindent 6 }}
{{- else -}}
{{ toYaml (index . 2) }}
{{- end -}}
{{- end }}

{{/* Egress to a part's database server. Argument: (list $ part). */}}
{{- define "shipping.toDatabase" -}}
{{- $root := index . 0 -}}
- to:
    {{- include "shipping.peers" (list $root "postgres" (index $root.Values.parts (index . 1)).databasePeers) | nindent 4 }}
  ports: [{ port: {{ ternary 5432 $root.Values.databasePort $root.Values.dev.enabled }} }]
{{- end }}
