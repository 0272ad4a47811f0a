// A Go program that links libc: goroutines have stacks of a few kB, and C code has threads and signals of its own.
package main

/*
#cgo LDFLAGS: -pthread
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static volatile unsigned c_sink;

static unsigned work_in_c(unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++)
		c_sink += i * i;
	return rounds;
}

extern unsigned fromC(unsigned);

// A thread of C's own calls Go.
static void *calls_go(void *arg)
{
	*(unsigned *)arg = fromC(*(unsigned *)arg);
	return NULL;
}

static unsigned on_thread(unsigned n)
{
	pthread_t t;

	if (pthread_create(&t, NULL, calls_go, &n) == 0)
		pthread_join(t, NULL);
	return n;
}
*/
import "C"

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
)

//export fromC
func fromC(n C.uint) C.uint {
	return C.uint(descend(int(n), make([]byte, 64)))
}

// Makes the stack grow, and be copied.
func descend(n int, b []byte) int {
	var here [200]byte
	if n == 0 {
		return len(b)
	}
	for i := range here {
		here[i] = byte(i + n)
	}
	return descend(n-1, here[:]) + int(here[n%len(here)]) - int(byte(n%len(here)+n))
}

func milliseconds() time.Duration {
	ms, err := strconv.Atoi(os.Getenv("LIFE_MS"))
	if err != nil {
		ms = 2
	}
	return time.Duration(ms) * time.Millisecond
}

// On a stack that is new, and as small as they come.
func spin(done chan int) {
	n := 0
	for i := 0; i < 300000; i++ {
		n += i & 1
	}
	done <- n
}

// Goroutines at work, in Go and in C, until the time is up.
func busy() {
	var all sync.WaitGroup
	until := time.Now().Add(milliseconds())
	for g := 0; g < 8; g++ {
		all.Add(1)
		go func() {
			defer all.Done()
			m := map[int]string{}
			done := make(chan int)
			for i := 0; time.Now().Before(until) || i == 0; i++ {
				m[i%64] = fmt.Sprint(i)
				go spin(done)
				descend(i%50, nil)
				if n := <-done; n != 150000 {
					panic(n)
				}
				C.work_in_c(20000)
				if i%16 == 0 {
					runtime.Gosched()
				}
			}
		}()
	}
	all.Wait()
	fmt.Println("worked", C.on_thread(100), C.work_in_c(3))
}

func signals() {
	got := make(chan os.Signal, 16)
	signal.Notify(got, syscall.SIGUSR1, syscall.SIGTRAP)
	busy()
	for _, sig := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGTRAP} {
		syscall.Kill(syscall.Getpid(), sig)
		fmt.Println(<-got)
	}
	signal.Reset()
	busy()
}

func children() {
	busy()
	out, err := exec.Command("/bin/sh", "-c", "echo child; exit 3").Output()
	fmt.Printf("%s%v\n", out, err)
	busy()
}

func panics() {
	busy()
	var none *int
	defer func() { fmt.Println("recovered:", recover()); os.Exit(4) }()
	fmt.Println(*none)
}

func dies() {
	busy()
	syscall.Kill(syscall.Getpid(), syscall.SIGTERM)
	time.Sleep(time.Minute)
}

func main() {
	modes := map[string]func(){"busy": busy, "signals": signals, "children": children, "panics": panics, "dies": dies}
	modes[os.Args[1]]()
}
