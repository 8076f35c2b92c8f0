{{/*
The Deployment of one part, and its disruption budget. Takes a dict:
  root       the chart's context
  component  controller or scheduler
  name       of the Deployment and of its ServiceAccount
  values     the part's own values
  config     the file of the ConfigMap that is given as --config
  args       what stands between "quorate <component> --config=..." and the arguments common to both
  ports      further container ports
*/}}
{{- define "quorate.part" -}}
{{- $root := .root -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "quorate.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  replicas: {{ .values.replicas }}
  selector:
    matchLabels:
      {{- include "quorate.selectorLabels" $root | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
  template:
    metadata:
      labels:
        {{- with .values.podLabels }}{{ toYaml . | nindent 8 }}{{ end }}
        {{- include "quorate.labels" $root | nindent 8 }}
        app.kubernetes.io/component: {{ .component }}
      annotations:
        {{- with .values.podAnnotations }}{{ toYaml . | nindent 8 }}{{ end }}
        kubectl.kubernetes.io/default-container: {{ .component }}
        # New settings start new pods.
        quorate.dev/config-checksum: {{ include "quorate.configFiles" $root | sha256sum }}
    spec:
      serviceAccountName: {{ .name }}
      # On SIGTERM the program gives its lease back and ends within 5 s.
      terminationGracePeriodSeconds: 10
      {{- with $root.Values.imagePullSecrets }}
      imagePullSecrets: {{ toYaml . | nindent 6 }}
      {{- end }}
      {{- with .values.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      {{- with .values.nodeSelector }}
      nodeSelector: {{ toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.tolerations }}
      tolerations: {{ toYaml . | nindent 6 }}
      {{- end }}
      {{- with .values.affinity }}
      affinity: {{ toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.topologySpreadConstraints }}
      topologySpreadConstraints: {{ toYaml . | nindent 6 }}
      {{- end }}
      securityContext: {{ toYaml $root.Values.podSecurityContext | nindent 8 }}
      containers:
      - name: {{ .component }}
        image: {{ printf "%s:%s" $root.Values.image.repository (default $root.Chart.AppVersion $root.Values.image.tag) }}
        imagePullPolicy: {{ $root.Values.image.pullPolicy }}
        args:
        - {{ .component }}
        - --config=/etc/quorate/{{ .config }}
        {{- range .args }}
        - {{ . | quote }}
        {{- end }}
        - --metrics-bind-address=:{{ $root.Values.metrics.port }}
        - --health-probe-bind-address=:{{ $root.Values.health.port }}
        - --leader-elect
        - --leader-elect-namespace={{ $root.Release.Namespace }}
        - --log-format={{ $root.Values.logFormat }}
        {{- range .values.extraArgs }}
        - {{ . | quote }}
        {{- end }}
        ports:
        {{- with .ports }}{{ toYaml . | nindent 8 }}{{ end }}
        - name: metrics
          containerPort: {{ $root.Values.metrics.port }}
          protocol: TCP
        - name: health
          containerPort: {{ $root.Values.health.port }}
          protocol: TCP
        livenessProbe:
          httpGet: {path: /healthz, port: health}
          initialDelaySeconds: 15
          periodSeconds: 20
        readinessProbe:
          httpGet: {path: /readyz, port: health}
          initialDelaySeconds: 5
          periodSeconds: 10
        resources: {{ toYaml .values.resources | nindent 10 }}
        securityContext: {{ toYaml $root.Values.containerSecurityContext | nindent 10 }}
        volumeMounts:
        - name: config
          mountPath: /etc/quorate
          readOnly: true
      volumes:
      - name: config
        configMap:
          name: {{ include "quorate.configName" $root }}
{{- if .values.podDisruptionBudget.enabled }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "quorate.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  minAvailable: {{ .values.podDisruptionBudget.minAvailable }}
  selector:
    matchLabels:
      {{- include "quorate.selectorLabels" $root | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
{{- end }}
{{- end -}}
