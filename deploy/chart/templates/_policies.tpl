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

{{/* Egress to the ports for calls of all parts that answer calls: those with a database. */}}
{{- define "shipping.toParts" -}}
{{- range $part, $needs := include "shipping.parts" . | fromYaml }}
{{- if $needs.database }}
- to:
    - podSelector:
        matchLabels:
          {{- include "shipping.selector" (list $ $part) | nindent 10 }}
  ports: [{ port: {{ $needs.ports.rpc }} }]
{{- end }}
{{- end }}
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

{{/* An IPv6 address of 32 hexadecimal digits in its shortest form. */}}
{{- define "shipping.ipv6" -}}
{{- $groups := list -}}
{{- range untilStep 0 32 4 -}}
{{- $groups = append $groups (substr . (int (add . 4)) $ | trimPrefix "0" | trimPrefix "0" | trimPrefix "0") -}}
{{- end -}}
{{- $text := join ":" $groups -}}
{{- range list 7 6 5 4 3 2 1 -}}
{{- $zeros := regexFind (printf "(^|:)0(:0){%d}(:|$)" .) $text -}}
{{- if and $zeros (not (contains "::" $text)) -}}
{{- $around := splitn $zeros 2 $text -}}
{{- $text = printf "%s::%s" $around._0 $around._1 -}}
{{- end -}}
{{- end -}}
{{ $text }}
{{- end }}

{{/*
Private IPv4 ranges as addresses behind a NAT64, as JSON. The four bytes of IPv4 follow the prefix, except that the ninth byte of the whole is
skipped (RFC 6052, 2.2). Argument: the prefix.
*/}}
{{- define "shipping.privateBehind" -}}
{{- $ranges := list (list "00000000" 8) (list "0a000000" 8) (list "64400000" 10) (list "7f000000" 8) (list "a9fe0000" 16) (list "ac100000" 12) (list "c0a80000" 16) -}}
{{- $bits := splitList "/" . | last | int -}}
{{- $sides := list -}}
{{- range splitList "/" . | first | lower | splitList "::" -}}
{{- $side := "" -}}
{{- range splitList ":" . | compact -}}
{{- $side = printf "%s%s%s" $side (repeat (int (sub 4 (len .))) "0") . -}}
{{- end -}}
{{- $sides = append $sides $side -}}
{{- end -}}
{{- $zeros := repeat (int (sub 32 (len (join "" $sides)))) "0" -}}
{{- $hex := printf "%s%s%s" (first $sides) $zeros (rest $sides | join "") -}}
{{- $prefix := substr 0 (int (div $bits 4)) $hex -}}
{{- $before := ternary 8 (int (sub 16 (len $prefix))) (eq $bits 96) -}}
{{- $except := list -}}
{{- range $ranges -}}
{{- $four := first . -}}
{{- $length := add $bits (last .) -}}
{{- if and (gt $length 64) (lt $bits 96) -}}
{{- $length = add $length 8 -}}
{{- end -}}
{{- $address := printf "%s%s00%s%s" $prefix (substr 0 $before $four) (substr $before 8 $four) (repeat 32 "0") | trunc 32 -}}
{{- $except = append $except (printf "%s/%d" (include "shipping.ipv6" $address) $length) -}}
{{- end -}}
{{ toJson $except }}
{{- end }}

{{/* Where receivers can be, as JSON: public addresses of IPv4 and IPv6, and public IPv4 addresses behind a NAT64. */}}
{{- define "shipping.publicRanges" -}}
{{- $private := list "0.0.0.0/8" "10.0.0.0/8" "100.64.0.0/10" "127.0.0.0/8" "169.254.0.0/16" "172.16.0.0/12" "192.168.0.0/16" -}}
{{- $exceptFour := concat $private (include "shipping.deniedWithin" (list . 4) | fromJsonArray) -}}
{{- $exceptSix := include "shipping.deniedWithin" (list . 6) | fromJsonArray -}}
{{- $translated := list -}}
{{- range prepend .Values.nat64Prefixes "64:ff9b::/96" | uniq -}}
{{- $except := include "shipping.privateBehind" . | fromJsonArray -}}
{{- if regexMatch "^[23][0-9a-fA-F]{3}:" . -}}
{{- $exceptSix = concat $exceptSix $except -}}
{{- else -}}
{{- $translated = append $translated (dict "cidr" . "except" $except) -}}
{{- end -}}
{{- end -}}
{{- $six := dict "cidr" "2000::/3" -}}
{{- if $exceptSix -}}
{{- $_ := set $six "except" $exceptSix -}}
{{- end -}}
{{ concat (list (dict "cidr" "0.0.0.0/0" "except" $exceptFour) $six) $translated | toJson }}
{{- end }}
