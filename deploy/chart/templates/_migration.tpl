{{/* The pod that migrates the databases: a container for each part, with its image. */}}
{{- define "shipping.migrationPod" -}}
metadata:
  labels:
    {{- include "shipping.labels" (list . "migration") | nindent 4 }}
spec:
  restartPolicy: OnFailure
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- include "shipping.pullSecrets" . | nindent 2 }}
  securityContext:
    {{- include "shipping.podSecurity" 10001 | nindent 4 }}
  containers:
    {{- range $part, $_ := include "shipping.parts" . | fromYaml }}
    - name: {{ $part }}
      image: {{ include "shipping.image" (list $ $part) }}
      imagePullPolicy: {{ $.Values.image.pullPolicy }}
      command: [migrate]
      env:
        - { name: LOG_LEVEL, value: {{ $.Values.logLevel | quote }} }
        - name: DATABASE_URL
          {{- include "shipping.fromSecret" (list $ $part "DATABASE_URL" true) | nindent 10 }}
        - name: MIGRATION_DATABASE_URL
          {{- include "shipping.fromSecret" (list $ $part "MIGRATION_DATABASE_URL" true) | nindent 10 }}
      resources:
        requests: { cpu: 10m, memory: 96Mi, ephemeral-storage: 16Mi }
        limits: { cpu: "1", memory: 256Mi, ephemeral-storage: 64Mi }
      securityContext:
        {{- include "shipping.containerSecurity" $.Values.dev.hotReload | nindent 8 }}
      {{- if $.Values.databaseCaSecret }}
      volumeMounts:
        - { name: database-ca, mountPath: /database-ca, readOnly: true }
      {{- end }}
    {{- end }}
  {{- with .Values.databaseCaSecret }}
  volumes:
    - { name: database-ca, secret: { secretName: {{ . }}, items: [{ key: ca.crt, path: ca.crt }] } }
  {{- end }}
{{- end }}
