{{/*
Where the parts' certificates come from: "cert-manager", Secrets that the "operator" names, "helm" in a trial; empty if the network is trusted.
*/}}
{{- define "shipping.certificateSource" -}}
{{- $named := append (values .Values.tls.existingSecrets) .Values.tls.existingSecret | compact -}}
{{- if .Values.tls.plaintextTrustsNetwork -}}
{{- else if and .Values.tls.issuerRef.name $named -}}
{{ fail "Set tls.issuerRef.name or tls.existingSecrets, not both" }}
{{- else if .Values.tls.issuerRef.name -}}
cert-manager
{{- else if and .Values.dev.enabled (not $named) -}}
helm
{{- else -}}
operator
{{- end -}}
{{- end }}

{{/* Secret with the certificate of a part or of the operator: tls.crt, tls.key, ca.crt. Argument: (list $ part). */}}
{{- define "shipping.certificateSecret" -}}
{{- $root := index . 0 -}}
{{- $part := index . 1 -}}
{{- $source := include "shipping.certificateSource" $root -}}
{{- if eq $source "operator" -}}
{{ required (printf "tls.existingSecrets.%s must name the Secret with its certificate (or set tls.issuerRef.name for cert-manager)" $part) (index $root.Values.tls.existingSecrets $part | default (replace "{part}" $part $root.Values.tls.existingSecret)) }}
{{- else -}}
{{ include "shipping.fullname" $root }}-{{ $part }}-tls
{{- end -}}
{{- end }}

{{/* Names under which a part is called, as JSON. Argument: (list $ part). */}}
{{- define "shipping.hosts" -}}
{{- $root := index . 0 -}}
{{- $name := printf "%s-%s" (include "shipping.fullname" $root) (index . 1) -}}
{{- $inNamespace := printf "%s.%s.svc" $name $root.Release.Namespace -}}
{{ list $name $inNamespace (printf "%s.%s" $inNamespace $root.Values.clusterDomain) | toJson }}
{{- end }}

{{/* A part's identity in its certificate. The text before the last segment distinguishes this release from others. Argument: (list $ part). */}}
{{- define "shipping.identity" -}}
{{- $root := index . 0 -}}
spiffe://{{ $root.Values.clusterDomain }}/ns/{{ $root.Release.Namespace }}/{{ include "shipping.fullname" $root }}/{{ index . 1 }}
{{- end }}
