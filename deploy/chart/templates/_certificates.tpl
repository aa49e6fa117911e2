{{/* Who makes the parts' certificates: "cert-manager", a "job" of the release's own, or nobody, where the network is trusted. */}}
{{- define "shipping.certifier" -}}
{{- if not .Values.tls.plaintextTrustsNetwork -}}
{{ ternary "cert-manager" "job" (ne .Values.tls.issuerRef.name "") }}
{{- end -}}
{{- end }}

{{/* Secret with a part's certificate. The name says who made it, so that neither writes over the other's. Argument: (list $ part). */}}
{{- define "shipping.certificateSecret" -}}
{{- $root := index . 0 -}}
{{ include "shipping.fullname" $root }}-{{ index . 1 }}-{{ ternary "tls" "certificate" (eq (include "shipping.certifier" $root) "cert-manager") }}
{{- end }}

{{/* Names under which a part is called, as JSON. Argument: (list $ part). */}}
{{- define "shipping.hosts" -}}
{{- $root := index . 0 -}}
{{- $name := printf "%s-%s" (include "shipping.fullname" $root) (index . 1) -}}
{{- $inNamespace := printf "%s.%s.svc" $name $root.Release.Namespace -}}
{{ list $name $inNamespace (printf "%s.%s" $inNamespace $root.Values.clusterDomain) | toJson }}
{{- end }}

{{/* Who a part is to those whom it calls: what stands before its name tells this release from every other. Argument: (list $ part). */}}
{{- define "shipping.identity" -}}
{{- $root := index . 0 -}}
spiffe://{{ $root.Values.clusterDomain }}/ns/{{ $root.Release.Namespace }}/{{ include "shipping.fullname" $root }}/{{ index . 1 }}
{{- end }}

{{/* The pod that makes certificates and renews them. */}}
{{- define "shipping.certificatesPod" -}}
{{- $certificates := dict -}}
{{- range $part, $_ := include "shipping.parts" . | fromYaml -}}
{{- $hosts := include "shipping.hosts" (list $ $part) | fromJsonArray -}}
{{- $subject := dict "hosts" $hosts "uri" (include "shipping.identity" (list $ $part)) -}}
{{- $_ := set $certificates (include "shipping.certificateSecret" (list $ $part)) $subject -}}
{{- end -}}
metadata:
  labels:
    {{- include "shipping.labels" (list . "certificates") | nindent 4 }}
spec:
  restartPolicy: OnFailure
  serviceAccountName: {{ include "shipping.fullname" . }}-certificates
  # It has a token of its own, below: short-lived, and in this pod alone.
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- include "shipping.pullSecrets" . | nindent 2 }}
  securityContext:
    {{- include "shipping.podSecurity" 10001 | nindent 4 }}
  containers:
    - name: certificates
      image: {{ include "shipping.image" (list . "gateway") }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      command: [certificates]
      env:
        - { name: LOG_LEVEL, value: {{ .Values.logLevel | quote }} }
        - { name: AUTHORITY_SECRET, value: {{ include "shipping.fullname" . }}-authority }
        - { name: CERTIFICATES, value: {{ toJson $certificates | quote }} }
        - { name: CERTIFICATE_HOURS, value: {{ trimSuffix "h" .Values.tls.duration | quote }} }
        - { name: CERTIFICATE_RENEW_HOURS, value: {{ trimSuffix "h" .Values.tls.renewBefore | quote }} }
        - { name: SERVICE_ACCOUNT_DIR, value: /service-account }
      resources:
        requests: { cpu: 10m, memory: 64Mi, ephemeral-storage: 16Mi }
        limits: { cpu: "1", memory: 192Mi, ephemeral-storage: 64Mi }
      securityContext:
        {{- include "shipping.containerSecurity" .Values.dev.hotReload | nindent 8 }}
      volumeMounts:
        - { name: service-account, mountPath: /service-account, readOnly: true }
  volumes:
    - name: service-account
      projected:
        sources:
          - serviceAccountToken: { path: token, expirationSeconds: 600 }
          - configMap: { name: kube-root-ca.crt, items: [{ key: ca.crt, path: ca.crt }] }
          - downwardAPI: { items: [{ path: namespace, fieldRef: { fieldPath: metadata.namespace } }] }
{{- end }}
