{{/* A part's environment. test/chart/configuration.check.ts compares its keys with the part's config.ts. Argument: (list $ part needs). */}}
{{- define "shipping.environment" -}}
{{- $root := index . 0 -}}
{{- $part := index . 1 -}}
{{- $needs := index . 2 -}}
{{- $values := index $root.Values.parts $part -}}
{{- $parts := include "shipping.parts" $root | fromYaml -}}
{{- $fullname := include "shipping.fullname" $root -}}
{{- $secured := ne (include "shipping.certificateSource" $root) "" -}}
- { name: PORT, value: {{ $needs.ports.http | default $needs.ports.rpc | quote }} }
{{- if and $needs.ports.http $needs.ports.rpc }}
- { name: RPC_PORT, value: {{ $needs.ports.rpc | quote }} }
{{- end }}
{{- if include "shipping.requesters" (list $root $part "internal") | fromJsonArray }}
- { name: INTERNAL_PORT, value: {{ $needs.ports.internal | quote }} }
{{- end }}
{{- if $needs.ports.http }}
{{- with $root.Values.publicUrl }}
- { name: PUBLIC_URL, value: {{ . | quote }} }
{{- end }}
- { name: TRUSTED_PROXIES, value: {{ $root.Values.trustedProxies | quote }} }
- { name: CLIENT_ADDRESS_HEADER, value: {{ $root.Values.clientAddressHeader | quote }} }
{{- end }}
{{- if $needs.auditRetention }}
- { name: AUDIT_RETENTION_DAYS, value: {{ $root.Values.auditRetentionDays | quote }} }
{{- end }}
- { name: OPS_PORT, value: {{ $needs.ports.ops | quote }} }
- { name: NODE_ENV, value: {{ ternary "development" "production" $root.Values.dev.enabled }} }
- { name: LOG_LEVEL, value: {{ $root.Values.logLevel | quote }} }
{{- $logs := dict "LOG_LEVEL_REQUESTS" $root.Values.logLevels.requests "LOG_LEVEL_ATTEMPTS" $root.Values.logLevels.attempts "LOG_LEVEL_FIELD" $root.Values.logLevelField }}
{{- range $setting, $value := merge $logs (dict "OTEL_RESOURCE_ATTRIBUTES" $root.Values.telemetry.resourceAttributes) }}
{{- with $value }}
- { name: {{ $setting }}, value: {{ . | quote }} }
{{- end }}
{{- end }}
{{- if $needs.database }}
- { name: DATABASE_POOL, value: {{ $values.databasePool | quote }} }
{{ include "shipping.databaseUrl" (list $root $part "DATABASE_URL" false) }}
{{- end }}
{{- range $setting, $request := $needs.requests }}
{{- if hasKey $parts $request.part }}
- { name: {{ $setting }}, value: "{{ ternary "https" "http" (and $secured (ne $request.port "http")) }}://{{ $fullname }}-{{ $request.part }}:{{ include "shipping.port" (list $root $request.part $request.port) }}" }
{{- end }}
{{- end }}
{{- range $needs.calls }}
{{- if hasKey $parts . }}
- { name: {{ upper . }}_URL, value: "{{ ternary "https" "http" $secured }}://{{ $fullname }}-{{ . }}:{{ include "shipping.port" (list $root . "rpc") }}" }
{{- end }}
{{- end }}
{{- if $needs.bus }}
- { name: NATS_URL, value: {{ include "shipping.natsUrl" $root | quote }} }
{{- with $root.Values.nats.prefix }}
- { name: BUS_PREFIX, value: {{ . | quote }} }
{{- end }}
{{- $identity := include "shipping.natsIdentity" $root }}
{{- if eq $identity "password" }}
- name: NATS_USER
  {{- include "shipping.fromSecret" (list $root $part "NATS_USER" false) | nindent 2 }}
- { name: NATS_PASSWORD_FILE, value: /nats/password }
{{- else if eq $identity "credentials" }}
- { name: NATS_CREDENTIALS_FILE, value: /nats/credentials }
{{- else if eq $identity "certificate" }}
- { name: NATS_CERT_FILE, value: /nats/tls.crt }
- { name: NATS_KEY_FILE, value: /nats/tls.key }
{{- else }}
- { name: NATS_ANONYMOUS_TRUSTS_NETWORK, value: "true" }
{{- end }}
{{- if $root.Values.nats.tlsHandshakeFirst }}
- { name: NATS_TLS_HANDSHAKE_FIRST, value: "true" }
{{- end }}
{{- if $root.Values.nats.caSecret }}
- { name: NATS_CA_FILE, value: /nats-ca/ca.crt }
{{- end }}
{{- end }}
{{- if dig "bus" "ownsStream" false $needs }}
- { name: INSTALLATION_NAME, value: {{ $root.Values.installationName | default (printf "%s/%s" $root.Release.Namespace $root.Release.Name) | quote }} }
{{- with $root.Values.nats.jetstreamDomain }}
- { name: NATS_JETSTREAM_DOMAIN, value: {{ . | quote }} }
{{- end }}
{{- with $root.Values.nats.jetstreamApiPrefix }}
- { name: NATS_JETSTREAM_API_PREFIX, value: {{ . | quote }} }
{{- end }}
- { name: NATS_REPLICAS, value: {{ ternary $root.Values.dev.nats.replicas $root.Values.nats.replicas $root.Values.dev.enabled | quote }} }
{{- $limits := $root.Values.nats.limits }}
{{- range $key, $value := dict "STREAM_MAX_BYTES" $limits.streamMaxBytes "DUPLICATE_WINDOW_SECONDS" $limits.duplicateWindowSeconds "MAX_ACK_PENDING" $limits.maxAckPending }}
{{- if $value }}
- { name: NATS_{{ $key }}, value: {{ int64 $value | quote }} }
{{- end }}
{{- end }}
{{- end }}
{{- range $setting, $secret := $needs.secrets }}
{{- if $secret.trial }}
- name: {{ $setting }}
  {{- include "shipping.fromSecret" (list $root $part $setting false) | nindent 2 }}
{{- end }}
{{- end }}
{{- if $needs.receivers }}
- { name: EGRESS_DENY_RANGES, value: {{ join "," $root.Values.egressDenyRanges | quote }} }
{{- with $root.Values.nat64Prefixes }}
- { name: NAT64_PREFIXES, value: {{ join "," . | quote }} }
{{- end }}
{{- end }}
{{- range $setting, $secret := $needs.secrets }}
{{- if ternary (hasKey $values.secrets $setting) (get $values.settings ($secret.with | default "")) ($secret.optional | default false) }}
- name: {{ $setting }}
  {{- include "shipping.fromSecret" (list $root $part $setting false) | nindent 2 }}
{{- end }}
{{- end }}
{{- if and $needs.receivers $root.Values.dev.enabled }}
- { name: WEBHOOK_ALLOW_TARGETS, value: {{ include "shipping.receiver" $root | quote }} }
{{- end }}
{{- if $values.caSecret }}
- { name: NODE_EXTRA_CA_CERTS, value: /ca/ca.crt }
{{- end }}
{{- if $secured }}
- { name: TLS_CERT_FILE, value: /tls/tls.crt }
- { name: TLS_KEY_FILE, value: /tls/tls.key }
- { name: TLS_CA_FILE, value: /tls/ca.crt }
{{- else }}
- { name: RPC_PLAINTEXT_TRUSTS_NETWORK, value: "true" }
{{- end }}
{{- with $root.Values.telemetry.otlpEndpoint }}
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ . | quote }} }
- { name: OTEL_TRACES_SAMPLER_ARG, value: {{ $root.Values.telemetry.sampleRatio | quote }} }
{{- with $root.Values.telemetry.headersSecret }}
{{- if .name }}
- { name: OTEL_EXPORTER_OTLP_HEADERS, valueFrom: { secretKeyRef: { name: {{ .name }}, key: {{ .key }} } } }
{{- end }}
{{- end }}
{{- end }}
{{- range $key, $value := $values.settings }}
- { name: {{ $key }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- end }}

{{/* The addresses of the event bus. */}}
{{- define "shipping.natsUrl" -}}
{{- if and .Values.dev.enabled (gt (int .Values.dev.nats.replicas) 1) -}}
{{ include "shipping.natsServers" (list . 4222) }}
{{- else if .Values.dev.enabled -}}
nats://{{ include "shipping.fullname" . }}-nats:4222
{{- else -}}
{{ required "nats.url must name the event bus (or set dev.enabled for a trial)" .Values.nats.url }}
{{- end -}}
{{- end }}

{{/* URLs of a trial's NATS cluster. Argument: (list $ port). */}}
{{- define "shipping.natsServers" -}}
{{- $root := first . }}
{{- $name := printf "%s-nats" (include "shipping.fullname" $root) }}
{{- $urls := list }}
{{- range $index := until (int $root.Values.dev.nats.replicas) }}
{{- $urls = append $urls (printf "nats://%s-%d.%s:%v" $name $index $name (last $)) }}
{{- end }}
{{- join "," $urls }}
{{- end }}

{{/* How the parts authenticate to NATS; empty if they do not. */}}
{{- define "shipping.natsIdentity" -}}
{{- if .Values.dev.enabled -}}
password
{{- else if not .Values.nats.anonymousTrustsNetwork -}}
{{ .Values.nats.identity }}
{{- end -}}
{{- end }}

{{/* The environment of the operator's commands: the URLs of all parts and of the event bus, and the operator's certificate. */}}
{{- define "shipping.operatorEnvironment" -}}
{{- $fullname := include "shipping.fullname" . -}}
{{- $secured := ne (include "shipping.certificateSource" .) "" -}}
- { name: API_URL, value: "http://{{ $fullname }}" }
{{- range $part, $needs := include "shipping.parts" . | fromYaml }}
{{- if $needs.database }}
- { name: {{ upper $part }}_URL, value: "{{ ternary "https" "http" $secured }}://{{ $fullname }}-{{ $part }}:{{ $needs.ports.rpc }}" }
{{- end }}
{{- end }}
{{- with .Values.publicUrl }}
- { name: PUBLIC_URL, value: {{ . | quote }} }
{{- end }}
- { name: NATS_URL, value: {{ include "shipping.natsUrl" . | quote }} }
{{- if .Values.nats.caSecret }}
- { name: NATS_CA_FILE, value: /nats-ca/ca.crt }
{{- end }}
{{- if $secured }}
- { name: TLS_CERT_FILE, value: /tls/tls.crt }
- { name: TLS_KEY_FILE, value: /tls/tls.key }
- { name: TLS_CA_FILE, value: /tls/ca.crt }
{{- end }}
{{- end }}
