{{/* The parts: the services that each calls, and whether it uses the event bus. */}}
{{- define "shipping.parts" -}}
gateway: { calls: [records, carrier, tracking, webhooks], bus: false }
records: { calls: [webhooks], bus: true }
carrier: { calls: [records, tracking, webhooks], bus: true }
tracking: { calls: [], bus: false }
webhooks: { calls: [], bus: true }
{{- end }}

{{/* The release's name, followed by the chart's unless it contains it. A change of the length would rename all objects of long releases. */}}
{{- define "shipping.fullname" -}}
{{- $name := contains .Chart.Name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) -}}
{{- $name = .Values.fullnameOverride | default $name -}}
{{- if not (regexMatch "^[a-z]([a-z0-9-]*[a-z0-9])?$" $name) -}}
{{- fail (printf "%q cannot be part of the names of Services, which begin with a letter and contain only a-z, 0-9 and hyphens: choose another release name, or set fullnameOverride" $name) -}}
{{- end -}}
{{ $name | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/* Labels of every object. Argument: (list $ component). */}}
{{- define "shipping.labels" -}}
{{ include "shipping.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/part-of: shipping
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
{{- /* A label takes no "+", with which Flux adds the commit to the version. */}}
helm.sh/chart: {{ printf "%s-%s" (index . 0).Chart.Name (index . 0).Chart.Version | replace "+" "_" | trunc 63 | trimAll "-_." }}
{{- end }}

{{/* Labels by which a component's pods are found. Argument: (list $ component). */}}
{{- define "shipping.selector" -}}
app.kubernetes.io/name: {{ (index . 0).Chart.Name }}
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{/* Image of a part. Argument: (list $ part). */}}
{{- define "shipping.image" -}}
{{- $root := index . 0 -}}
{{- $part := index . 1 -}}
{{- (index $root.Values.parts $part).image | default (printf "%s%s:%s" $root.Values.image.prefix $part ($root.Values.image.tag | default $root.Chart.AppVersion)) -}}
{{- end }}

{{/* Secret with a part's DATABASE_URL. Argument: (list $ part). */}}
{{- define "shipping.secret" -}}
{{- $root := index . 0 -}}
{{- $part := index . 1 -}}
{{- if $root.Values.dev.enabled -}}
{{ include "shipping.fullname" $root }}-dev-{{ $part }}
{{- else -}}
{{ required (printf "parts.%s.existingSecret must name the Secret with its DATABASE_URL (or set dev.enabled for a trial)" $part) (index $root.Values.parts $part).existingSecret }}
{{- end -}}
{{- end }}

{{/* Security context of a pod under the restricted Pod Security standard. Argument: the user's ID. */}}
{{- define "shipping.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ . }}
runAsGroup: {{ . }}
fsGroup: {{ . }}
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{/* Security context of a container. Argument: whether hot reload replaces its files. */}}
{{- define "shipping.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: {{ not . }}
capabilities: { drop: [ALL] }
{{- end }}

{{/* Reference to a key of a part's Secret. Argument: (list $ part key optional). */}}
{{- define "shipping.fromSecret" -}}
valueFrom:
  secretKeyRef:
    name: {{ include "shipping.secret" (list (index . 0) (index . 1)) }}
    key: {{ index . 2 }}
    {{- if index . 3 }}
    optional: true
    {{- end }}
{{- end }}

{{/* The trial's receiver by its full name, because the dispatcher queries DNS without the pod's search domains. */}}
{{- define "shipping.receiver" -}}
{{ include "shipping.fullname" . }}-receiver.{{ .Release.Namespace }}.svc.{{ .Values.clusterDomain }}:8080
{{- end }}

{{/* imagePullSecrets of a pod. */}}
{{- define "shipping.pullSecrets" -}}
{{- with .Values.image.pullSecrets -}}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}
