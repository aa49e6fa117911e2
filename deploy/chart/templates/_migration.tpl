{{/* The pod that migrates the databases: a container for each part, with its image. */}}
{{- define "shipping.migrationPod" -}}
{{- $pod := include "shipping.podValues" (list . .Values.migration) | fromJson -}}
{{- $files := include "shipping.databaseFiles" . | fromJsonArray -}}
metadata:
  labels:
    {{- include "shipping.podLabels" (list . "migration" $pod.podLabels) | nindent 4 }}
  {{- include "shipping.annotations" $pod.podAnnotations | nindent 2 }}
spec:
  restartPolicy: OnFailure
  {{- include "shipping.podSpec" (list . "migration" $pod) | nindent 2 }}
  containers:
    {{- range $part, $_ := include "shipping.parts" . | fromYaml }}
    - name: {{ $part }}
      image: {{ include "shipping.image" (list $ $part) }}
      {{- include "shipping.container" (list $ $pod) | nindent 6 }}
      command: [migrate]
      env:
        - { name: LOG_LEVEL, value: {{ $.Values.logLevel | quote }} }
        {{- include "shipping.databaseUrl" (list $ $part "DATABASE_URL" true) | nindent 8 }}
        {{- include "shipping.databaseUrl" (list $ $part "MIGRATION_DATABASE_URL" true) | nindent 8 }}
        {{- include "shipping.items" $pod.extraEnv | nindent 8 }}
      {{- with include "shipping.mounts" (list $files $pod) }}
      volumeMounts:
        {{- . | nindent 8 }}
      {{- end }}
    {{- end }}
  {{- with include "shipping.volumes" (list $files $pod) }}
  volumes:
    {{- . | nindent 4 }}
  {{- end }}
{{- end }}
