{{- define "muster.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{- define "muster.labels" -}}
app.kubernetes.io/name: muster
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "muster.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end }}

{{/* Database role of a service. */}}
{{- define "muster.databaseKey" -}}
{{- if has . (list "api" "connectors") -}}{{ . }}-database-url{{- else if eq . "migrate" -}}owner-database-url{{- else -}}engine-database-url{{- end -}}
{{- end }}

{{/* Environment of every process. Expects a dict of root and service. */}}
{{- define "muster.environment" -}}
{{- $ := .root -}}
{{- if ne .service "connectors" }}
- { name: MUSTER_CONFIG, value: /etc/muster/engine.json }
- { name: MUSTER_TOPIC_PREFIX, value: {{ $.Values.topicPrefix | quote }} }
- { name: MUSTER_REGION, value: {{ $.Values.region | quote }} }
{{- end }}
- { name: LOG_LEVEL, value: {{ $.Values.logLevel | quote }} }
- { name: STOP_DEADLINE_MS, value: {{ mul $.Values.stopping.deadlineSeconds 1000 | quote }} }
{{- with $.Values.egressAllow }}
- { name: MUSTER_EGRESS_ALLOW, value: {{ . | quote }} }
{{- end }}
{{- if ne .service "topics" }}
- name: DATABASE_URL
  valueFrom: { secretKeyRef: { name: {{ $.Values.secret.name }}, key: {{ include "muster.databaseKey" .service }} } }
{{- end }}
{{- if has .service (list "api" "worker" "dispatcher") }}
- name: MUSTER_SECRETS_KEY
  valueFrom: { secretKeyRef: { name: {{ $.Values.secret.name }}, key: secrets-key } }
{{- end }}
{{- if not (has .service (list "migrate" "connectors")) }}
- { name: KAFKA_BROKERS, value: {{ join "," $.Values.kafka.brokers | quote }} }
{{- if $.Values.kafka.tls.enabled }}
- { name: KAFKA_TLS, value: 'true' }
{{- if $.Values.kafka.tls.caConfigMap }}
- { name: KAFKA_TLS_CA_FILE, value: /etc/muster-kafka/ca.pem }
{{- end }}
{{- end }}
{{- if $.Values.kafka.sasl.mechanism }}
- { name: KAFKA_SASL_MECHANISM, value: {{ $.Values.kafka.sasl.mechanism }} }
- { name: KAFKA_SASL_USERNAME, value: "{{ $.Values.kafka.sasl.userPrefix }}-{{ .service }}" }
- name: KAFKA_SASL_PASSWORD
  valueFrom: { secretKeyRef: { name: {{ $.Values.secret.name }}, key: kafka-password-{{ .service }} } }
{{- end }}
{{- end }}
{{- if not (has .service (list "migrate" "topics" "connectors")) }}
{{- range $variable, $key := $.Values.secret.named }}
- name: {{ $variable }}
  valueFrom: { secretKeyRef: { name: {{ $.Values.secret.name }}, key: {{ $key }} } }
{{- end }}
{{- end }}
{{- with $.Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Security context without privileges and with a read-only file system. */}}
{{- define "muster.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "muster.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "muster.mounts" -}}
- { name: engine, mountPath: /etc/muster, readOnly: true }
- { name: tmp, mountPath: /tmp }
{{- if .Values.kafka.tls.caConfigMap }}
- { name: kafka-ca, mountPath: /etc/muster-kafka, readOnly: true }
{{- end }}
{{- end }}

{{- define "muster.volumes" -}}
- name: engine
  configMap: { name: {{ include "muster.name" . }}-engine }
- { name: tmp, emptyDir: {} }
{{- if .Values.kafka.tls.caConfigMap }}
- name: kafka-ca
  configMap: { name: {{ .Values.kafka.tls.caConfigMap }} }
{{- end }}
{{- end }}

{{/* Deployment and disruption budget. Expects a dict of root, service, name, settings, replicas and environment. */}}
{{- define "muster.deployment" -}}
{{- $ := .root -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "muster.name" $ }}-{{ .name }}
  labels:
    {{- include "muster.labels" $ | nindent 4 }}
    app.kubernetes.io/component: {{ .service }}
spec:
  {{- if not .scaled }}
  replicas: {{ .replicas }}
  {{- end }}
  # Pods are replaced one by one: a pod that stops hands its work over to the others.
  strategy: { type: RollingUpdate, rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
  # A dispatcher is ready once the others have left it its share of the partitions.
  minReadySeconds: 3
  selector:
    matchLabels:
      {{- include "muster.labels" $ | nindent 6 }}
      muster/deployment: {{ .name }}
  template:
    metadata:
      labels:
        {{- include "muster.labels" $ | nindent 8 }}
        app.kubernetes.io/component: {{ .service }}
        muster/deployment: {{ .name }}
      annotations:
        {{- if eq .service "connectors" }}
        checksum/connectors: {{ $.Values.connectors.file | toJson | sha256sum }}
        {{- else }}
        checksum/engine: {{ $.Values.engine | toJson | sha256sum }}
        {{- end }}
    spec:
      automountServiceAccountToken: false
      # Longer than the time for which a service continues to serve, and the time to finish its work, together.
      terminationGracePeriodSeconds: {{ add $.Values.stopping.drainSeconds $.Values.stopping.deadlineSeconds 5 }}
      securityContext:
        {{- include "muster.podSecurity" $ | nindent 8 }}
      {{- with $.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .settings.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .settings.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "muster.labels" $ | nindent 14 }}
              muster/deployment: {{ .name }}
      containers:
        - name: {{ .service }}
          image: {{ include "muster.image" $ }}
          imagePullPolicy: {{ $.Values.image.pullPolicy }}
          command: [node, services/{{ .service }}/main.ts]
          env:
            {{- include "muster.environment" (dict "root" $ "service" .service) | nindent 12 }}
            - { name: HEALTH_HOST, value: 0.0.0.0 }
            - { name: HEALTH_PORT, value: '8081' }
            {{- with .environment }}
            {{- . | nindent 12 }}
            {{- end }}
            {{- with .settings.env }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          ports:
            - { name: health, containerPort: 8081 }
            {{- if eq .service "api" }}
            - { name: http, containerPort: {{ $.Values.api.port }} }
            {{- else if eq .service "connectors" }}
            - { name: http, containerPort: 7080 }
            {{- end }}
          startupProbe: { httpGet: { path: /healthz, port: health }, periodSeconds: 2, failureThreshold: 60 }
          livenessProbe: { httpGet: { path: /healthz, port: health }, periodSeconds: 10, timeoutSeconds: 3, failureThreshold: 3 }
          readinessProbe: { httpGet: { path: /readyz, port: health }, periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 2 }
          {{- if has .service (list "api" "connectors") }}
          # Requests still arrive while the pod is removed from its service.
          lifecycle: { preStop: { sleep: { seconds: {{ $.Values.stopping.drainSeconds }} } } }
          {{- end }}
          {{- with .settings.resources }}
          resources:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          securityContext:
            {{- include "muster.containerSecurity" $ | nindent 12 }}
          volumeMounts:
            {{- if eq .service "connectors" }}
            {{- include "muster.connectorsMounts" $ | nindent 12 }}
            {{- else }}
            {{- include "muster.mounts" $ | nindent 12 }}
            {{- end }}
      volumes:
        {{- if eq .service "connectors" }}
        {{- include "muster.connectorsVolumes" $ | nindent 8 }}
        {{- else }}
        {{- include "muster.volumes" $ | nindent 8 }}
        {{- end }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "muster.name" $ }}-{{ .name }}
  labels:
    {{- include "muster.labels" $ | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      {{- include "muster.labels" $ | nindent 6 }}
      muster/deployment: {{ .name }}
{{- end }}
