{{/* Where a secret setting of a part is, as JSON: name, key, and for a database, parameters. Argument: (list $ part setting),
and true if the Secret may be absent. */}}
{{- define "shipping.secretOf" -}}
{{- $root := index . 0 -}}
{{- $part := index . 1 -}}
{{- $setting := index . 2 -}}
{{- $values := index $root.Values.parts $part | default dict -}}
{{- $own := dig "secrets" $setting dict $values -}}
{{- $trial := ternary (printf "%s-dev-%s" (include "shipping.fullname" $root) $part) "" $root.Values.dev.enabled -}}
{{- $common := get $root.Values.secrets $setting | default dict -}}
{{- $isCommon := and $common.name (not (or $own.name $trial)) | not | not -}}
{{- $named := coalesce (ternary $common.name "" $isCommon) $values.existingSecret $root.Values.existingSecret -}}
{{- $name := coalesce $own.name $trial ($named | default "" | replace "{part}" $part) -}}
{{- if not (or $name (eq (last . | toString) "true")) -}}
{{- fail (printf "parts.%s.existingSecret must name the Secret with its %s (or set parts.%s.secrets.%s, or dev.enabled for a trial)" $part $setting $part $setting) -}}
{{- end -}}
{{ merge (dict "name" $name) (ternary $common $own $isCommon) (dict "key" $setting) | toJson }}
{{- end }}

{{/* Reference to a secret setting. Argument: (list $ part setting optional). */}}
{{- define "shipping.fromSecret" -}}
{{- $secret := include "shipping.secretOf" . | fromJson -}}
valueFrom:
  secretKeyRef:
    name: {{ $secret.name }}
    key: {{ $secret.key }}
    {{- if index . 3 }}
    optional: true
    {{- end }}
{{- end }}

{{/* The variable of a database's URL: a file, or a Secret and the parameters that it lacks. The same argument. */}}
{{- define "shipping.databaseUrl" -}}
{{- $setting := index . 2 -}}
{{- $file := (index (first .).Values.parts (index . 1)).databaseUrlFile -}}
{{- if and $file (eq $setting "DATABASE_URL") -}}
- { name: DATABASE_URL_FILE, value: {{ $file | quote }} }
{{- else -}}
{{- $secret := include "shipping.secretOf" . | fromJson -}}
{{- if $secret.userKey -}}
- { name: PGUSER, valueFrom: { secretKeyRef: { name: {{ $secret.name }}, key: {{ $secret.userKey }} } } }
- { name: PGPASSWORD, valueFrom: { secretKeyRef: { name: {{ $secret.name }}, key: {{ $secret.passwordKey }} } } }
- name: {{ $setting }}
  value: {{ printf "postgresql://%s:%v/%s%s" $secret.host ($secret.port | default (first .).Values.databasePort) ($secret.database | default "{part}") (ternary (printf "?%s" $secret.parameters) "" (not (empty $secret.parameters))) | replace "{part}" (index . 1) | quote }}
{{- else if $secret.parameters -}}
- name: {{ $setting }}_IN_SECRET
  {{- include "shipping.fromSecret" (list (index . 0) (index . 1) $setting false) | nindent 2 }}
- { name: {{ $setting }}, value: "$({{ $setting }}_IN_SECRET)?{{ $secret.parameters }}" }
{{- else if $secret.name -}}
- name: {{ $setting }}
  {{- include "shipping.fromSecret" . | nindent 2 }}
{{- end -}}
{{- end -}}
{{- end }}
