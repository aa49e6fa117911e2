{{/*
All parts: those that each calls, whether it has a database, whether it uses the event bus, and whether people or programs outside of the platform reach
it. The MCP server calls the gateway by HTTP, at a port for it alone. The operator's commands call every part.
*/}}
{{- define "shipping.allParts" -}}
gateway: { calls: [records, carrier, tracking, webhooks], database: true, bus: false, public: true }
portal: { calls: [gateway, records, carrier, tracking, webhooks], database: true, bus: false, public: true }
records: { calls: [webhooks], database: true, bus: true, public: false }
carrier: { calls: [records, tracking, webhooks], database: true, bus: true, public: false }
tracking: { calls: [], database: true, bus: false, public: false }
webhooks: { calls: [], database: true, bus: true, public: false }
mcp: { calls: [], database: false, bus: false, public: true }
{{- end }}

{{/* The parts that run: all but the MCP server and the portal, which can be turned on and off. */}}
{{- define "shipping.parts" -}}
{{- $parts := include "shipping.allParts" . | fromYaml -}}
{{- if not .Values.parts.portal.enabled -}}
{{- $_ := unset $parts "portal" -}}
{{- end -}}
{{- if not .Values.parts.mcp.enabled -}}
{{- $_ := unset $parts "mcp" -}}
{{- end -}}
{{ toYaml $parts }}
{{- end }}

{{/* Those that have a certificate, as JSON: the parts that run, and the operator. */}}
{{- define "shipping.identities" -}}
{{ append (include "shipping.parts" . | fromYaml | keys | sortAlpha) "operator" | toJson }}
{{- end }}

{{/* The port of a part for the calls of others. A part with public HTTP has one more. Argument: (list $ part). */}}
{{- define "shipping.rpcPort" -}}
{{- ternary 8090 8080 (index (include "shipping.allParts" (first .) | fromYaml) (last .)).public -}}
{{- end }}

{{/* The parts with a database, whether they run or not. */}}
{{- define "shipping.owners" -}}
{{- range $part, $needs := include "shipping.allParts" . | fromYaml }}
{{- if $needs.database }}
{{ $part }}: {{ toJson $needs }}
{{- end }}
{{- end }}
{{- end }}

{{/* The port of the gateway that only the MCP server calls. */}}
{{- define "shipping.internalPort" -}}
8091
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

{{/* Labels of every object. Argument: (list $ component), and maps of further labels, of which the last one wins. */}}
{{- define "shipping.labels" -}}
{{ include "shipping.podLabels" . }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
{{- /* A label takes no "+", with which Flux adds the commit to the version. */}}
helm.sh/chart: {{ printf "%s-%s" (index . 0).Chart.Name (index . 0).Chart.Version | replace "+" "_" | trunc 63 | trimAll "-_." }}
{{- end }}

{{/* Labels of a pod: without the chart's version, which would restart it at each commit that Flux deploys. The same argument. */}}
{{- define "shipping.podLabels" -}}
{{ include "shipping.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/part-of: shipping
{{- $more := deepCopy (index . 0).Values.commonLabels }}
{{- range slice . 2 }}
{{- $more = mergeOverwrite $more (. | default dict) }}
{{- end }}
{{- with $more }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Annotations of an object, if it has any. */}}
{{- define "shipping.annotations" -}}
{{- with . -}}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
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

{{/* Image of the operator's commands. */}}
{{- define "shipping.operatorImage" -}}
{{- .Values.operator.image | default (printf "%scli:%s" .Values.image.prefix (.Values.image.tag | default .Chart.AppVersion)) -}}
{{- end }}

{{/* The trial's receiver by its full name, because the dispatcher queries DNS without the pod's search domains. */}}
{{- define "shipping.receiver" -}}
{{ include "shipping.fullname" . }}-receiver.{{ .Release.Namespace }}.svc.{{ .Values.clusterDomain }}:8080
{{- end }}
