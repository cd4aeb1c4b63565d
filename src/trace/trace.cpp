namespace tfx {}
