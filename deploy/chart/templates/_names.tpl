{{/*
The parts that run, by their names: files/parts.yaml has what each part.yaml declares. A part with `enabled` can be turned on and off. The operator's
commands call every part with a database.
*/}}
{{- define "shipping.parts" -}}
{{- $parts := dict -}}
{{- range .Files.Get "files/parts.yaml" | fromYamlArray -}}
{{- if or (not (hasKey . "enabled")) (index $.Values.parts .name).enabled -}}
{{- $_ := set $parts .name . -}}
{{- end -}}
{{- end -}}
{{ toYaml $parts }}
{{- end }}

{{/* Those of them that have a port, as JSON, in the order of their places. Argument: (list $ port). */}}
{{- define "shipping.partsWithPort" -}}
{{- $parts := include "shipping.parts" (first .) | fromYaml -}}
{{- $names := list -}}
{{- range (first .).Files.Get "files/parts.yaml" | fromYamlArray -}}
{{- if and (hasKey $parts .name) (hasKey .ports (last $)) -}}
{{- $names = append $names .name -}}
{{- end -}}
{{- end -}}
{{ toJson $names }}
{{- end }}

{{/* Those that have a certificate, as JSON: the parts that run, and the operator. */}}
{{- define "shipping.identities" -}}
{{ append (include "shipping.parts" . | fromYaml | keys | sortAlpha) "operator" | toJson }}
{{- end }}

{{/* The port of a part, whether it runs or not. Argument: (list $ part port). */}}
{{- define "shipping.port" -}}
{{- $root := index . 0 -}}
{{- range $root.Files.Get "files/parts.yaml" | fromYamlArray -}}
{{- if eq .name (index $ 1) -}}
{{ index .ports (index $ 2) }}
{{- end -}}
{{- end -}}
{{- end }}

{{/* The parts that run and call a port of a part by HTTP, as JSON. Argument: (list $ part port). */}}
{{- define "shipping.requesters" -}}
{{- $part := index . 1 -}}
{{- $port := index . 2 -}}
{{- $names := list -}}
{{- range $name, $needs := include "shipping.parts" (first .) | fromYaml -}}
{{- range $needs.requests -}}
{{- if and (eq .part $part) (eq .port $port) -}}
{{- $names = append $names $name -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{ toJson $names }}
{{- end }}

{{/* The parts with a database, whether they run or not. */}}
{{- define "shipping.owners" -}}
{{- range .Files.Get "files/parts.yaml" | fromYamlArray }}
{{- if .database }}
{{ .name }}: {{ toJson . }}
{{- end }}
{{- end }}
{{- end }}

{{/* Their names, in the order of their places. */}}
{{- define "shipping.ownerNames" -}}
{{- $names := list -}}
{{- range .Files.Get "files/parts.yaml" | fromYamlArray -}}
{{- if .database -}}
{{- $names = append $names .name -}}
{{- end -}}
{{- end -}}
{{ join " " $names }}
{{- end }}

{{/* The part that answers the public API, and with it every path that no other part answers. */}}
{{- define "shipping.api" -}}
{{- range .Files.Get "files/parts.yaml" | fromYamlArray -}}
{{- if has "/" (dig "paths" "prefix" list .) -}}
{{ .name }}
{{- end -}}
{{- end -}}
{{- end }}

{{/* Name of the Service at which people and programs outside of the platform reach a part. Argument: (list $ part). */}}
{{- define "shipping.publicName" -}}
{{- $name := include "shipping.fullname" (first .) -}}
{{ ternary $name (printf "%s-%s-public" $name (last .)) (eq (last .) (include "shipping.api" (first .))) }}
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
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
{{ include "shipping.serverLabels" . }}
{{- end }}

{{/* Labels of a pod of a trial's PostgreSQL or NATS, which a release of the platform does not replace: it is the only one. The same argument. */}}
{{- define "shipping.serverLabels" -}}
{{ include "shipping.selector" . }}
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
{{- (index $root.Values.parts $part).image | default (include "shipping.imageNamed" (list $root $part)) -}}
{{- end }}

{{/* Image of the operator's commands. */}}
{{- define "shipping.operatorImage" -}}
{{- .Values.operator.image | default (include "shipping.imageNamed" (list . "cli")) -}}
{{- end }}

{{/* Image of a name: prefix, name and tag. Argument: (list $ name). */}}
{{- define "shipping.imageNamed" -}}
{{- $values := (index . 0).Values -}}
{{- $named := printf "%s%s:%s" $values.image.prefix (index . 1) ($values.image.tag | default (index . 0).Chart.AppVersion) -}}
{{ include "shipping.mirrored" (list (index . 0) $named) }}
{{- end }}

{{/* An image in the registry of an umbrella chart, in place of its own host, if it has one. Argument: (list $ image). */}}
{{- define "shipping.mirrored" -}}
{{- $image := index . 1 -}}
{{- with dig "imageRegistry" "" ((index . 0).Values.global | default dict) -}}
{{- $image = printf "%s/%s" (trimSuffix "/" .) (regexReplaceAll "^(localhost|[^/]*[.:][^/]*)/" $image "") -}}
{{- end -}}
{{ $image }}
{{- end }}

{{/* A duration such as 1m30s in seconds. */}}
{{- define "shipping.seconds" -}}
{{- $seconds := 0 -}}
{{- range $unit, $each := dict "h" 3600 "m" 60 "s" 1 -}}
{{- range regexFindAll (printf "[0-9]+%s" $unit) $ -1 -}}
{{- $seconds = add $seconds (mul (trimSuffix $unit .) $each) -}}
{{- end -}}
{{- end -}}
{{ $seconds }}
{{- end }}

{{/* The trial's receiver by its full name, because the dispatcher queries DNS without the pod's search domains. */}}
{{- define "shipping.receiver" -}}
{{ include "shipping.fullname" . }}-receiver.{{ .Release.Namespace }}.svc.{{ .Values.clusterDomain }}:8080
{{- end }}
