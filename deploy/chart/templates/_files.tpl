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
{{- $_ := set $held "password" (dict "NATS_PASSWORD" "password") -}}
{{- $_ := set $held "credentials" (dict "NATS_CREDENTIALS" "credentials") -}}
{{- $_ := set $held "certificate" (dict "NATS_CERT" "tls.crt" "NATS_KEY" "tls.key") -}}
{{- with include "shipping.natsIdentity" $root -}}
{{- $items := list -}}
{{- $secret := dict -}}
{{- range $setting, $path := index $held . -}}
{{- $secret = include "shipping.secretOf" (list $root $part $setting) | fromJson -}}
{{- $items = append $items (dict "key" $secret.key "path" $path) -}}
{{- end -}}
{{- $files = append $files (dict "name" "nats" "secret" $secret.name "items" $items) -}}
{{- end -}}
{{- with $root.Values.nats.caSecret -}}
{{- $files = append $files (dict "name" "nats-ca" "secret" . "items" $ca) -}}
{{- end -}}
{{- end -}}
{{- with (index $root.Values.parts $part).caSecret -}}
{{- $files = append $files (dict "name" "ca" "secret" . "items" $ca) -}}
{{- end -}}
{{- if (index . 2).database -}}
{{- $files = concat $files (include "shipping.databaseFiles" $root | fromJsonArray) -}}
{{- end -}}
{{ toJson $files }}
{{- end }}

{{/* Files of the operator's commands, in the same way. */}}
{{- define "shipping.operatorFiles" -}}
{{- $ca := list (dict "key" "ca.crt" "path" "ca.crt") -}}
{{- $files := list -}}
{{- if include "shipping.certificateSource" . -}}
{{- $items := list (dict "key" "tls.crt" "path" "tls.crt") (dict "key" "tls.key" "path" "tls.key") -}}
{{- $secret := include "shipping.certificateSecret" (list . "operator") -}}
{{- $files = append $files (dict "name" "tls" "secret" $secret "items" (concat $items $ca)) -}}
{{- end -}}
{{- with .Values.nats.caSecret -}}
{{- $files = append $files (dict "name" "nats-ca" "secret" . "items" $ca) -}}
{{- end -}}
{{ toJson $files }}
{{- end }}

{{/* Those files of them that a connection to the database needs. */}}
{{- define "shipping.databaseFiles" -}}
{{- $files := list -}}
{{- with .Values.databaseCaSecret -}}
{{- $files = append $files (dict "name" "database-ca" "secret" . "items" (list (dict "key" "ca.crt" "path" "ca.crt"))) -}}
{{- end -}}
{{ toJson $files }}
{{- end }}

{{/* A container's volumeMounts. Argument: (list files values): as from shipping.files, and the values of the pod. */}}
{{- define "shipping.mounts" -}}
{{- $mounts := list -}}
{{- range first . -}}
{{- $mounts = append $mounts (dict "name" .name "mountPath" (printf "/%s" .name) "readOnly" true) -}}
{{- end -}}
{{- include "shipping.items" (concat $mounts ((last .).extraVolumeMounts | default list)) -}}
{{- end }}

{{/* A pod's volumes, in the same way. The items of a Secret are listed, so that a pod waits until all exist. */}}
{{- define "shipping.volumes" -}}
{{- $volumes := list -}}
{{- range first . -}}
{{- $volumes = append $volumes (dict "name" .name "secret" (dict "secretName" .secret "items" .items)) -}}
{{- end -}}
{{- include "shipping.items" (concat $volumes ((last .).extraVolumes | default list)) -}}
{{- end }}

{{/* The items of a list, or nothing. */}}
{{- define "shipping.items" -}}
{{- with . -}}
{{ toYaml . }}
{{- end -}}
{{- end }}
