# The parameterized job that `belay runner --executor nomad` dispatches, once for each job. Its
# payload is what lets the runner there take that job, and no other. Change the image.
job "belay-job" {
  type = "batch"

  parameterized {
    payload       = "required"
    meta_required = ["belay_job", "belay_runner"]
  }

  group "job" {
    # The server gives a job again, if that may be; nobody else does.
    restart {
      attempts = 0
      mode     = "fail"
    }
    reschedule {
      attempts  = 0
      unlimited = false
    }

    task "runner" {
      driver       = "docker"
      kill_timeout = "10m"

      config {
        image = "registry.example.com/belay:1"
        args  = ["runner", "--once", "--job-file", "${NOMAD_TASK_DIR}/job.json", "--work-dir", "${NOMAD_ALLOC_DIR}/belay"]
      }

      dispatch_payload {
        file = "job.json"
      }

      resources {
        cpu        = 500
        memory     = 512
        memory_max = 2048
      }
    }
  }
}
