{{/* The name of everything of a release. */}}
{{- define "ballast.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What selects the pods of a release. */}}
{{- define "ballast.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "ballast.labels" -}}
{{ include "ballast.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "ballast.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The variable that names a file: of one whose value is a path already, itself. */}}
{{- define "ballast.fileVariable" -}}
{{- if regexMatch "_FILE(_|$)" . -}}{{ . }}{{- else -}}{{ . }}_FILE{{- end -}}
{{- end -}}

{{/*
A question from within the container: every path asks for a token. /healthz and never /readyz, whose 503 is for a person:
a restart heals none of it, and a dashboard out of its service would hide it.
*/}}
{{- define "ballast.probe" -}}
exec: { command: [node, /app/probe.mjs, "8787", /healthz] }
timeoutSeconds: 10
{{- end -}}

{{/* The Deployment of a role. Takes root, role, replicas, resources and secrets. */}}
{{- define "ballast.deployment" -}}
{{- $root := .root -}}
{{- $name := printf "%s-%s" (include "ballast.name" $root) .role -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  labels:
    {{- include "ballast.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
spec:
  replicas: {{ .replicas }}
  # The next process is there before one goes: what that gives back has somebody to take it.
  strategy: { type: RollingUpdate, rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
  selector:
    matchLabels:
      {{- include "ballast.selector" $root | nindent 6 }}
      app.kubernetes.io/component: {{ .role }}
  template:
    metadata:
      labels:
        {{- include "ballast.labels" $root | nindent 8 }}
        app.kubernetes.io/component: {{ .role }}
      {{- with $root.Values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ include "ballast.name" $root }}
      automountServiceAccountToken: false
      enableServiceLinks: false
      # Two minutes for a swap in flight, and the rest for the end itself.
      terminationGracePeriodSeconds: 150
      {{- with $root.Values.image.pullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $root.Values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $root.Values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      topologySpreadConstraints:
        {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
        - maxSkew: 1
          topologyKey: {{ . }}
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "ballast.selector" $root | nindent 14 }}
              app.kubernetes.io/component: {{ $.role }}
        {{- end }}
      securityContext:
        runAsNonRoot: true
        runAsUser: 65532
        runAsGroup: 65532
        # Mounted secrets belong to root: this group reads them.
        fsGroup: 65532
        seccompProfile: { type: RuntimeDefault }
      containers:
        - name: ballast
          image: {{ include "ballast.image" $root | quote }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args: [run, --role, {{ .role }}, --port, "8787"]
          env:
            - { name: BALLAST_CONFIG, value: /etc/ballast/ballast.yaml }
            {{- range .secrets }}
            {{- if .variable }}
            - { name: {{ include "ballast.fileVariable" .variable }}, value: /run/secrets/ballast/{{ .variable }} }
            {{- end }}
            {{- end }}
          ports:
            - { name: http, containerPort: 8787 }
          startupProbe:
            {{- include "ballast.probe" $root | nindent 12 }}
            periodSeconds: 5
            failureThreshold: 36
          livenessProbe:
            {{- include "ballast.probe" $root | nindent 12 }}
            periodSeconds: 30
            failureThreshold: 4
          readinessProbe:
            {{- include "ballast.probe" $root | nindent 12 }}
            periodSeconds: 15
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            runAsNonRoot: true
            capabilities: { drop: [ALL] }
            seccompProfile: { type: RuntimeDefault }
          resources:
            {{- toYaml .resources | nindent 12 }}
          volumeMounts:
            # Whole, without subPath: a changed ConfigMap arrives, and a running bot takes it over.
            - { name: config, mountPath: /etc/ballast, readOnly: true }
            {{- if .secrets }}
            - { name: secrets, mountPath: /run/secrets/ballast, readOnly: true }
            {{- end }}
            {{- if $root.Values.archives.claim }}
            - { name: archives, mountPath: /archives }
            {{- end }}
            - { name: data, mountPath: /data }
            - { name: tmp, mountPath: /tmp }
      volumes:
        - name: config
          configMap: { name: {{ include "ballast.name" $root }} }
        {{- if .secrets }}
        - name: secrets
          projected:
            defaultMode: 0400
            sources:
              {{- range .secrets }}
              - secret:
                  name: {{ .secret }}
                  items: [{ key: {{ .key }}, path: {{ .variable | default .file }}, mode: 0400 }]
              {{- end }}
        {{- end }}
        {{- with $root.Values.archives.claim }}
        - name: archives
          persistentVolumeClaim: { claimName: {{ . }} }
        {{- end }}
        - { name: data, emptyDir: { sizeLimit: 64Mi } }
        - { name: tmp, emptyDir: { sizeLimit: 256Mi } }
{{- end -}}
