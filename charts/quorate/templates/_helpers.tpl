{{/* The beginning of all objects' names. */}}
{{- define "quorate.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels by which the pods are found; they never change. */}}
{{- define "quorate.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* Labels of every object. */}}
{{- define "quorate.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{ include "quorate.selectorLabels" . }}
{{- end -}}

{{- define "quorate.controllerName" -}}{{ include "quorate.fullname" . }}-controller{{- end -}}
{{- define "quorate.schedulerName" -}}{{ include "quorate.fullname" . }}-scheduler{{- end -}}
{{- define "quorate.configName" -}}{{ include "quorate.fullname" . }}-config{{- end -}}
{{- define "quorate.webhookService" -}}{{ include "quorate.fullname" . }}-webhook-service{{- end -}}
{{- define "quorate.webhookSecret" -}}{{ include "quorate.fullname" . }}-webhook-server-cert{{- end -}}
{{- define "quorate.mutatingWebhooks" -}}{{ include "quorate.fullname" . }}-mutating-webhook-configuration{{- end -}}

{{/* The names of the leases, by which instances find out who leads. */}}
{{- define "quorate.controllerLease" -}}quorate-controller{{- end -}}
{{- define "quorate.schedulerLease" -}}quorate-scheduler{{- end -}}

{{/* The controller's Configuration document. */}}
{{- define "quorate.configuration" -}}
{{- $filled := dict
    "apiVersion" "config.kueue.x-k8s.io/v1beta2"
    "kind" "Configuration"
    "namespace" .Release.Namespace
    "health" (dict "healthProbeBindAddress" (printf ":%d" (int .Values.health.port)))
    "metrics" (dict "bindAddress" (printf ":%d" (int .Values.metrics.port)))
    "webhook" (dict "port" (int .Values.webhooks.port))
    "leaderElection" (dict
      "leaderElect" true
      "resourceName" (include "quorate.controllerLease" .)
      "resourceNamespace" .Release.Namespace)
    "internalCertManagement" (dict
      "enable" true
      "webhookServiceName" (include "quorate.webhookService" .)
      "webhookSecretName" (include "quorate.webhookSecret" .))
-}}
{{- mergeOverwrite $filled (deepCopy .Values.config) | toYaml -}}
{{- end -}}

{{/* The scheduler's KubeSchedulerConfiguration document. */}}
{{- define "quorate.schedulerConfiguration" -}}
{{- $client := .Values.config.clientConnection | default dict -}}
{{- $filled := dict
    "apiVersion" "kubescheduler.config.k8s.io/v1"
    "kind" "KubeSchedulerConfiguration"
    "clientConnection" (dict "qps" ($client.qps | default 300) "burst" ($client.burst | default 500))
    "leaderElection" (dict
      "leaderElect" true
      "resourceName" (include "quorate.schedulerLease" .)
      "resourceNamespace" .Release.Namespace)
    "profiles" (list (dict "schedulerName" .Values.scheduler.name))
-}}
{{- mergeOverwrite $filled (deepCopy .Values.scheduler.config) | toYaml -}}
{{- end -}}

{{/* The namespaces whose jobs the webhook is asked about. */}}
{{- define "quorate.managedNamespaces" -}}
{{- with .Values.config.managedJobsNamespaceSelector -}}
{{- toYaml . -}}
{{- else -}}
matchExpressions:
- key: kubernetes.io/metadata.name
  operator: NotIn
  values:
  - kube-system
  - {{ .Release.Namespace }}
{{- end -}}
{{- end -}}
