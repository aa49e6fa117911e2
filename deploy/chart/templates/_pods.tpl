{{/*
The values of a workload's pods, as JSON: those for all workloads, then the workload's own. A map is merged, anything else is replaced.
Argument: (list $ own).
*/}}
{{- define "shipping.podValues" -}}
{{- $placement := list "nodeSelector" "tolerations" "affinity" "topologySpreadConstraints" "priorityClassName" -}}
{{- $container := list "extraEnv" "envFrom" "extraVolumes" "extraVolumeMounts" "extraInitContainers" "securityContext" -}}
{{- $pod := list "podAnnotations" "podLabels" "podSecurityContext" "serviceAccount" "automountServiceAccountToken" -}}
{{- $others := list "deploymentAnnotations" "deploymentLabels" "service" "strategy" "revisionHistoryLimit" -}}
{{- $all := dict -}}
{{- range concat $placement $container $pod $others -}}
{{- $_ := set $all . (get $.root.Values .) -}}
{{- end -}}
{{ mergeOverwrite (deepCopy $all) .own | toJson }}
{{- end }}
