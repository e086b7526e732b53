package runnerwire

import (
	"net/http"

	"github.com/belayhq/belay/run"
)

func (d *Door) start(c *call) error {
	var in run.Start
	if err := c.read(&in); err != nil {
		return err
	}
	spec, err := d.Runs.Start(c.Context(), c.token, in)
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, spec)
}

func (d *Door) about(c *call) error {
	answer, err := d.Runs.About(c.Context(), c.token)
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, answer)
}

func (d *Door) step(c *call) error {
	var in run.Step
	if err := c.read(&in); err != nil {
		return err
	}
	if err := d.Runs.Step(c.Context(), c.token, in.Step, in.Checks...); err != nil {
		return err
	}
	return c.answer(http.StatusNoContent, nil)
}

func (d *Door) end(c *call) error {
	var in run.End
	if err := c.read(&in); err != nil {
		return err
	}
	answer, err := d.Runs.End(c.Context(), c.token, in)
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, answer)
}

func (d *Door) finish(c *call) error {
	var in run.Finish
	if err := c.read(&in); err != nil {
		return err
	}
	answer, err := d.Runs.Finish(c.Context(), c.token, in)
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, answer)
}
