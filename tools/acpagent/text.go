package main

import (
	"bytes"
	"context"
	picture "image"
	"image/color"
	"image/png"
	"strconv"
	"time"

	"github.com/acpwire/acpwire/server"
)

const (
	// maxChunks bounds what /stream adds to the history.
	maxChunks = 1_000_000
	// slowPause is the time between two chunks of /slow.
	slowPause = 50 * time.Millisecond
	// imageSize is the width and height of /image, in pixels.
	imageSize = 32
)

func echo(_ context.Context, t *turn, arg string) error { return t.Say(arg) }

func think(_ context.Context, t *turn, arg string) error {
	if err := t.Think(arg); err != nil {
		return err
	}
	return t.Say("That was a thought.")
}

func stream(ctx context.Context, t *turn, arg string) error {
	n, err := strconv.Atoi(arg)
	if err != nil || n < 0 || n > maxChunks {
		return errArgument
	}
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.Say(strconv.Itoa(i+1) + " "); err != nil {
			return err
		}
	}
	return nil
}

// slow is a tool call that goes on until the turn is cancelled.
func slow(ctx context.Context, t *turn, _ string) error {
	if err := t.Tool("count", server.Think, "Count").Start(); err != nil {
		return err
	}
	ticker := time.NewTicker(slowPause)
	defer ticker.Stop()
	for i := 1; ; i++ {
		if err := t.Say(strconv.Itoa(i) + " "); err != nil {
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func image(_ context.Context, t *turn, _ string) error {
	img := picture.NewGray(picture.Rect(0, 0, imageSize, imageSize))
	for y := range imageSize {
		for x := range imageSize {
			img.SetGray(x, y, color.Gray{Y: uint8(x * y * 255 / (imageSize * imageSize))})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return err
	}
	return t.Show(&server.ImagePart{MIMEType: "image/png", Data: b.Bytes()})
}
