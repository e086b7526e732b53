package api

import (
	"net/http"

	"github.com/belayhq/belay"
	"github.com/belayhq/belay/internal/api/door"
	"github.com/belayhq/belay/internal/api/runs"
	"github.com/belayhq/belay/internal/object"
)

// anObject is where what is kept as bytes is read and written without a token: the path
// is the secret.
const anObject = "/_objects/{object}/{object_id}/{expires}/{signature}"

// presigned is the permission that the path carries, for one of the kinds.
func presigned(r *door.Request, upload bool) object.Presigned {
	r.BySignature(r.Param("signature"))
	return object.Presigned{
		Upload: upload, Kind: object.Kind(r.Param("object")), ID: r.Param("object_id"),
		Expires: r.Param("expires"), MAC: r.Param("signature"),
	}
}

// uploadObject takes the bytes of a file as they are.
func (a *API) uploadObject(r *door.Request) error {
	p := presigned(r, true)
	var err error
	switch p.Kind {
	case object.State, object.JSONState:
		err = a.App.UploadState(r.Context(), p, r.Body)
	case object.Configuration:
		err = a.configs.Upload(r.Context(), p, r.Body, r.ContentLength)
	default:
		err = belay.ErrNotFound
	}
	if err != nil {
		return err
	}
	r.Wrote = true
	r.Writer.WriteHeader(http.StatusOK)
	return nil
}

// downloadObject gives the bytes of a file as they are.
func (a *API) downloadObject(r *door.Request) error {
	p := presigned(r, false)
	switch p.Kind {
	case object.State, object.JSONState:
		file, rc, err := a.App.DownloadState(r.Context(), p)
		if err != nil {
			return err
		}
		return r.Stream(rc, file.Size, "application/json")
	case object.Configuration:
		c, rc, err := a.configs.Download(r.Context(), p)
		if err != nil {
			return err
		}
		return r.Stream(rc, c.Size, "application/x-gzip")
	case object.Log:
		return a.runs.ReadLog(r, p)
	case object.PlanJSON, object.PlanRedacted, object.PlanSchema, object.ErroredState:
		rc, file, err := a.files.Download(r.Context(), p)
		if err != nil {
			return err
		}
		return r.Stream(rc, file.Size, runs.FileTypes[p.Kind])
	default:
		return belay.ErrNotFound
	}
}
