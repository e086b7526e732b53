{{- define "belay.labels" -}}
app.kubernetes.io/name: belay
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}
{{- define "belay.selector" -}}
app.kubernetes.io/name: belay
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "belay.check" -}}
{{- if not .Values.databaseSecret.name }}
{{- if gt (int .Values.replicas) 1 }}{{ fail "several replicas need PostgreSQL: set databaseSecret" }}{{ end }}
{{- else if gt (int .Values.replicas) 1 }}
{{- if not .Values.blobURL }}{{ fail "several replicas need one store of objects: set blobURL" }}{{ end }}
{{- if not .Values.encryptionKeySecret.name }}{{ fail "several replicas need one encryption key: set encryptionKeySecret" }}{{ end }}
{{- end }}
{{- end }}
