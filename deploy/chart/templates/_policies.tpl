{{/* Peers of a policy: a component of the trial, or the operator's peers. Argument: (list $ component peers). */}}
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

{{/* Egress to a server outside of the platform. Argument: its ports and peers. */}}
{{- define "shipping.toServer" -}}
- ports:
    {{- range .ports }}
    - { port: {{ . }} }
    {{- end }}
  {{- with .peers }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{/* The port of a URL, explicit or of its scheme. */}}
{{- define "shipping.portOf" -}}
{{- regexFind ":[0-9]+$" (urlParse .).host | trimPrefix ":" | default (ternary 443 80 (hasPrefix "https:" .)) -}}
{{- end }}

{{/*
The ranges of egressDenyRanges that lie within what is public of IPv4 (0.0.0.0/0) or IPv6 (2000::/3), as JSON: Kubernetes refuses a policy
that excepts others. Argument: (list $ version).
*/}}
{{- define "shipping.deniedWithin" -}}
{{- $within := ternary "^[0-9.]+/([1-9]|[1-3][0-9])$" "^[23][0-9a-fA-F]{3}:.*/([4-9]|[1-9][0-9]+)$" (eq (index . 1) 4) -}}
{{- $ranges := list -}}
{{- range (index . 0).Values.egressDenyRanges -}}
{{- if regexMatch $within . -}}
{{- $ranges = append $ranges . -}}
{{- end -}}
{{- end -}}
{{ toJson $ranges }}
{{- end }}

{{/* Where receivers can be, as JSON: public addresses of IPv4 and IPv6, and IPv4 addresses behind a NAT64. */}}
{{- define "shipping.publicRanges" -}}
{{- $private := list "0.0.0.0/8" "10.0.0.0/8" "100.64.0.0/10" "127.0.0.0/8" "169.254.0.0/16" "172.16.0.0/12" "192.168.0.0/16" -}}
{{- $behindNat64 := list "::/104" "::a00:0/104" "::6440:0/106" "::7f00:0/104" "::a9fe:0/112" "::ac10:0/108" "::c0a8:0/112" -}}
{{- $ranges := list (dict "cidr" "0.0.0.0/0" "except" (concat $private (include "shipping.deniedWithin" (list . 4) | fromJsonArray))) -}}
{{- $six := dict "cidr" "2000::/3" -}}
{{- with include "shipping.deniedWithin" (list . 6) | fromJsonArray -}}
{{- $_ := set $six "except" . -}}
{{- end -}}
{{- $ranges = append $ranges $six -}}
{{- $except := list -}}
{{- range $behindNat64 -}}
{{- $except = append $except (printf "64:ff9b%s" .) -}}
{{- end -}}
{{- $ranges = append $ranges (dict "cidr" "64:ff9b::/96" "except" $except) -}}
{{- range .Values.nat64Prefixes -}}
{{- if ne . "64:ff9b::/96" -}}
{{- $ranges = append $ranges (dict "cidr" .) -}}
{{- end -}}
{{- end -}}
{{ toJson $ranges }}
{{- end }}
