{{/* The pod that migrates the database of a part, with the image of the part. Argument: (list $ part). */}}
{{- define "shipping.migrationPod" -}}
{{- $root := index . 0 -}}
{{- $part := index . 1 -}}
{{- $pod := include "shipping.podValues" (list $root $root.Values.migration) | fromJson -}}
{{- $files := include "shipping.databaseFiles" $root | fromJsonArray -}}
metadata:
  labels:
    {{- include "shipping.podLabels" (list $root "migration" $pod.podLabels) | nindent 4 }}
  {{- include "shipping.annotations" $pod.podAnnotations | nindent 2 }}
spec:
  {{- /* With OnFailure, Kubernetes would delete the pod, and its log, when the Job gives up. */}}
  restartPolicy: Never
  {{- include "shipping.podSpec" (list $root "migration" $pod) | nindent 2 }}
  containers:
    - name: {{ $part }}
      image: {{ include "shipping.image" (list $root $part) }}
      {{- include "shipping.container" (list $root $pod) | nindent 6 }}
      command: [node, /app/node_modules/.bin/migrate]
      env:
        - { name: LOG_LEVEL, value: {{ $root.Values.logLevel | quote }} }
        {{- /* Both could name PGUSER and PGPASSWORD, and only the role of migrations is used. */}}
        {{- if not (include "shipping.secretOf" (list $root $part "MIGRATION_DATABASE_URL" true) | fromJson).userKey }}
        {{- include "shipping.databaseUrl" (list $root $part "DATABASE_URL" true) | nindent 8 }}
        {{- end }}
        {{- include "shipping.databaseUrl" (list $root $part "MIGRATION_DATABASE_URL" true) | nindent 8 }}
        {{- include "shipping.items" $pod.extraEnv | nindent 8 }}
      {{- with include "shipping.mounts" (list $files $pod) }}
      volumeMounts:
        {{- . | nindent 8 }}
      {{- end }}
  {{- with include "shipping.volumes" (list $files $pod) }}
  volumes:
    {{- . | nindent 4 }}
  {{- end }}
{{- end }}
