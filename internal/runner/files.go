package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"

	"github.com/belayhq/belay/run"
)

// Names of files, in the folder of a job and in a home.
const (
	planName      = "plan"
	lockName      = ".terraform.lock.hcl"
	eventsName    = "events.jsonl"
	generatedName = "generated.tf"
	modulesName   = "modules"
	archiveName   = "configuration.tar.gz"
)

func platform() string { return runtime.GOOS + "_" + runtime.GOARCH }

// fetchAll gets what the server has for the job. A file that is not what it should be
// ends the job; one that can't be had now is waited for.
func (j *job) fetchAll(ctx context.Context) (*run.End, error) {
	have := map[run.FileKind]bool{}
	for _, file := range j.spec.Files {
		have[file.Kind] = true
		name, wanted := map[run.FileKind]string{
			run.ConfigurationFile: archiveName, run.StateFile: stateFolder, run.PlanFile: planName,
			run.LockFile: lockName, run.ModulesFile: modulesName,
		}[file.Kind]
		if !wanted {
			continue
		}
		if err := j.fetch(ctx, file, j.folder.in(name)); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if lost := j.lost(ctx, err); errors.Is(lost, errLost) {
				return nil, lost
			}
			return j.failed("the %s of this run could not be had: %v", file.Kind, err), nil
		}
	}
	if have[run.ConfigurationFile] {
		if err := j.unpackFile(archiveName, configFolder, unpack); err != nil {
			return j.failed("%v", err), nil
		}
	}
	if have[run.ModulesFile] {
		into := j.folder.real(dataFolder, modulesName)
		if err := os.MkdirAll(into, 0o700); err != nil {
			return nil, err
		}
		if err := j.unpackFile(modulesName, filepath.Join(dataFolder, modulesName), untar); err != nil {
			return j.failed("%v", err), nil
		}
	}
	return nil, nil
}

func (j *job) unpackFile(name, into string, how func(io.Reader, string) error) error {
	file, err := os.Open(j.folder.in(name))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	return how(file, j.folder.real(into))
}

func (j *job) fetch(ctx context.Context, file run.JobFile, to string) error {
	return j.call(ctx, func() error {
		request, err := j.wire.request(ctx, http.MethodGet, "jobs/"+j.ID+"/files/"+string(file.Kind), j.Lease, nil)
		if err != nil {
			return err
		}
		answer, err := j.wire.http.Do(request)
		if err != nil {
			return err
		}
		defer func() { _ = answer.Body.Close() }()
		if err := refuse(answer); err != nil {
			return err
		}
		return save(answer.Body, to, file.SHA256)
	})
}

// errOther says that bytes are not those that were announced.
var errOther = errors.New("it is not what it should be: its checksum differs")

func save(from io.Reader, to, sum string) error {
	file, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	hash := sha256.New()
	_, err = io.Copy(io.MultiWriter(file, hash), from)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if got := hex.EncodeToString(hash.Sum(nil)); sum != "" && got != sum {
		return &refusal{status: http.StatusUnprocessableEntity, detail: errOther.Error()}
	}
	return nil
}

// bring sends a file to the server. The same bytes may be brought twice.
func (j *job) bring(ctx context.Context, kind run.FileKind, path string) (run.FileAnswer, error) {
	var said run.FileAnswer
	sum, size, err := j.folder.checksum(path)
	if err != nil {
		return said, err
	}
	err = j.call(ctx, func() error {
		file, err := j.folder.open(path)
		if err != nil {
			return &refusal{detail: err.Error()}
		}
		defer func() { _ = file.Close() }()
		request, err := j.wire.request(ctx, http.MethodPut, "jobs/"+j.ID+"/files/"+string(kind), j.Lease, io.LimitReader(file, size))
		if err != nil {
			return err
		}
		request.ContentLength = size
		if size == 0 {
			request.Body = http.NoBody
		}
		request.Header.Set(run.SHA256Header, sum)
		request.Header.Set("Content-Type", "application/octet-stream")
		answer, err := j.wire.http.Do(request)
		if err != nil {
			return err
		}
		defer func() { _ = answer.Body.Close() }()
		if err := refuse(answer); err != nil {
			return err
		}
		return json.NewDecoder(answer.Body).Decode(&said)
	})
	if err != nil {
		return said, fmt.Errorf("bring the %s: %w", kind, err)
	}
	return said, nil
}

func (f *folder) checksum(path string) (sum string, size int64, err error) {
	file, err := f.open(path)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	size, err = io.Copy(hash, file)
	return hex.EncodeToString(hash.Sum(nil)), size, err
}

func (f *folder) copyFile(from, to string) error {
	file, err := f.open(from)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	return save(file, to, "")
}
