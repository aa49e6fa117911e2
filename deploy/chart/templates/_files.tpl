{{/* Files that a part reads, one folder for each Secret: list of name, secret and items, as JSON. Argument: (list $ part needs). */}}
{{- define "shipping.files" -}}
{{- $root := index . 0 -}}
{{- $part := index . 1 -}}
{{- $ca := list (dict "key" "ca.crt" "path" "ca.crt") -}}
{{- $files := list -}}
{{- if include "shipping.certificateSource" $root -}}
{{- $items := list (dict "key" "tls.crt" "path" "tls.crt") (dict "key" "tls.key" "path" "tls.key") -}}
{{- $secret := include "shipping.certificateSecret" (list $root $part) -}}
{{- $files = append $files (dict "name" "tls" "secret" $secret "items" (concat $items $ca)) -}}
{{- end -}}
{{- if (index . 2).bus -}}
{{- $held := dict -}}
{{- $_ := set $held "password" (list (dict "key" "NATS_PASSWORD" "path" "password")) -}}
{{- $_ := set $held "credentials" (list (dict "key" "NATS_CREDENTIALS" "path" "credentials")) -}}
{{- $_ := set $held "certificate" (list (dict "key" "NATS_CERT" "path" "tls.crt") (dict "key" "NATS_KEY" "path" "tls.key")) -}}
{{- with include "shipping.natsIdentity" $root -}}
{{- $secret := include "shipping.secret" (list $root $part) -}}
{{- $files = append $files (dict "name" "nats" "secret" $secret "items" (index $held .)) -}}
{{- end -}}
{{- with $root.Values.nats.caSecret -}}
{{- $files = append $files (dict "name" "nats-ca" "secret" . "items" $ca) -}}
{{- end -}}
{{- end -}}
{{- with (index $root.Values.parts $part).caSecret -}}
{{- $files = append $files (dict "name" "ca" "secret" . "items" $ca) -}}
{{- end -}}
{{- with $root.Values.databaseCaSecret -}}
{{- $files = append $files (dict "name" "database-ca" "secret" . "items" $ca) -}}
{{- end -}}
{{ toJson $files }}
{{- end }}

{{/* These files as a container's volumeMounts. Argument: the result of shipping.files. */}}
{{- define "shipping.mounts" -}}
{{- range fromJsonArray . }}
- { name: {{ .name }}, mountPath: /{{ .name }}, readOnly: true }
{{- end }}
{{- end }}

{{/* These files as a pod's volumes. The items are listed, so that a pod waits until all exist. Argument: the result of shipping.files. */}}
{{- define "shipping.volumes" -}}
{{- range fromJsonArray . }}
- { name: {{ .name }}, secret: { secretName: {{ .secret }}, items: {{ toJson .items }} } }
{{- end }}
{{- end }}
