package skins

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

func submit(t *testing.T, name string) *http.Response {
	file := os.Getenv("PICTURE")
	if file == "" {
		file = "smith.png"
	}
	picture, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	url := "data:image/png;base64," + base64.StdEncoding.EncodeToString(picture)
	body, _ := json.Marshal(map[string]string{"url": url, "name": name})
	request, err := http.NewRequest("POST", double.URL+"/v2/queue", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+double.Key)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer
}

func TestClientWaitsAfterARateLimit(t *testing.T) {
	limited := submit(t, "limit-429")
	if limited.StatusCode != 429 {
		t.Fatalf("got %d", limited.StatusCode)
	}
	seconds, _ := strconv.Atoi(limited.Header.Get("Retry-After"))
	time.Sleep(time.Duration(seconds) * time.Second)
	if again := submit(t, "limit-429"); again.StatusCode != 202 {
		t.Fatalf("got %d", again.StatusCode)
	}
}
