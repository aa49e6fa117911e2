{{/*
Values of a workload's pods, as JSON: the values for all pods, and over them the workload's own. Objects are merged, anything else is
replaced. Argument: (list $ own).
*/}}
{{- define "shipping.podValues" -}}
{{- $keys := list
  "nodeSelector" "tolerations" "affinity" "topologySpreadConstraints" "priorityClassName"
  "deploymentLabels" "deploymentAnnotations" "podLabels" "podAnnotations" "service" "serviceAccount" "automountServiceAccountToken"
  "podSecurityContext" "securityContext" "extraInitContainers" "extraEnv" "envFrom" "extraVolumes" "extraVolumeMounts"
  "strategy" "revisionHistoryLimit" "progressDeadlineSeconds" "probes" "extraContainers"
  "hostAliases" "dnsConfig" "dnsPolicy" "runtimeClassName" "schedulerName" -}}
{{- $values := dict -}}
{{- range $keys -}}
{{- $_ := set $values . (get (first $).Values .) -}}
{{- end -}}
{{ mergeOverwrite (deepCopy $values) (last .) | toJson }}
{{- end }}

{{/* Those fields of an object that are not empty, as YAML. Argument: (list object field…). */}}
{{- define "shipping.given" -}}
{{- $given := dict -}}
{{- range $field := rest . -}}
{{- with get (first $) $field -}}
{{- $_ := set $given $field . -}}
{{- end -}}
{{- end -}}
{{- with $given -}}
{{ toYaml . }}
{{- end -}}
{{- end }}

{{/* The Secrets of private registries, those of an umbrella chart included, as JSON. Other charts name the latter by text or as an object. */}}
{{- define "shipping.pullSecrets" -}}
{{- $secrets := .Values.imagePullSecrets | default list -}}
{{- range dig "imagePullSecrets" list (.Values.global | default dict) -}}
{{- $secrets = append $secrets (kindIs "string" . | ternary (dict "name" .) .) -}}
{{- end -}}
{{ uniq $secrets | toJson }}
{{- end }}

{{/* A probe of a part: how the chart asks, and over that the probe's values. Argument: (list path defaults own). */}}
{{- define "shipping.probe" -}}
httpGet: { path: {{ first . }}, port: ops }
{{ mergeOverwrite (deepCopy (index . 1)) (last . | default dict) | toYaml }}
{{- end }}

{{/* Where a pod may run and where its image comes from; for the servers of a trial, too. Argument: (list $ values). */}}
{{- define "shipping.placement" -}}
enableServiceLinks: false
{{- with include "shipping.pullSecrets" (first .) | fromJsonArray }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with include "shipping.given" (list (last .) "nodeSelector" "tolerations" "priorityClassName") }}
{{ . }}
{{- end }}
{{- end }}

{{/* A pod's specification without containers and volumes. Argument: (list $ component values). */}}
{{- define "shipping.podSpec" -}}
{{- $values := last . -}}
{{- $fields := set (set (deepCopy $values) "securityContext" $values.podSecurityContext) "initContainers" $values.extraInitContainers -}}
serviceAccountName: {{ include "shipping.serviceAccountName" . }}
automountServiceAccountToken: {{ $values.automountServiceAccountToken }}
{{ include "shipping.placement" (list (first .) $values) }}
{{- with include "shipping.given" (list $fields "affinity" "securityContext" "initContainers" "hostAliases" "dnsConfig" "dnsPolicy" "runtimeClassName" "schedulerName") }}
{{ . }}
{{- end }}
{{- end }}

{{/* How a workload's pods spread. Argument: (list $ component values). */}}
{{- define "shipping.spread" -}}
{{- $root := first . -}}
{{- $component := index . 1 -}}
{{- range (last .).topologySpreadConstraints }}
- {{ toYaml . | nindent 2 | trim }}
  {{- if not .labelSelector }}
  labelSelector:
    matchLabels:
      {{- include "shipping.selector" (list $root $component) | nindent 6 }}
  matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end }}
{{- end }}

{{/* A Deployment's strategy. Argument: the values of the pod. */}}
{{- define "shipping.strategy" -}}
{{- with .strategy -}}
{{ toYaml (eq .type "Recreate" | ternary (omit . "rollingUpdate") .) }}
{{- end -}}
{{- end }}

{{/* The fields of a container that come from values alone. Argument: (list $ values). */}}
{{- define "shipping.container" -}}
{{- $hotReload := (first .).Values.dev.hotReload | ternary (dict "readOnlyRootFilesystem" false) dict -}}
{{- $fields := mergeOverwrite (deepCopy (last .)) (dict "securityContext" $hotReload) -}}
imagePullPolicy: {{ (first .).Values.image.pullPolicy }}
{{ include "shipping.given" (list $fields "resources" "envFrom" "securityContext") }}
{{- end }}

{{/* Security context of a trial's server, whose image needs this user. Argument: (list $ user). */}}
{{- define "shipping.serverSecurity" -}}
{{ mergeOverwrite (deepCopy (first .).Values.podSecurityContext) (dict "runAsUser" (last .) "runAsGroup" (last .) "fsGroup" (last .)) | toYaml }}
{{- end }}

{{/* Name of a workload's ServiceAccount. Argument: (list $ component values). */}}
{{- define "shipping.serviceAccountName" -}}
{{- $account := (last .).serviceAccount -}}
{{- $own := printf "%s-%s" (include "shipping.fullname" (first .)) (index . 1) -}}
{{ $account.name | default (ternary $own "default" $account.create) }}
{{- end }}

{{/* A workload's ServiceAccount, unless it has one that exists. Argument: (list $ component values). */}}
{{- define "shipping.serviceAccount" -}}
{{- $account := (last .).serviceAccount -}}
{{- if $account.create }}
{{- if (first .).Values.serviceAccount.name }}
{{- fail "serviceAccount.name is for a ServiceAccount that exists: set serviceAccount.create to false, or name one for each part" }}
{{- end }}
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "shipping.serviceAccountName" . }}
  labels:
    {{- include "shipping.labels" (list (first .) (index . 1) $account.labels) | nindent 4 }}
  {{- include "shipping.annotations" $account.annotations | nindent 2 }}
automountServiceAccountToken: false
{{- end }}
{{- end }}
